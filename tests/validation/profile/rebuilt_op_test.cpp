// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/rebuilt_op.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sw/compiler/tiles/op_work.h"
#include "tests/sw/target_machines.h"

namespace podsim::validation::profile {
namespace {

using base::Bytes;

RebuiltOp rebuilt(const std::string& text, const OpCounts& counts = {}) {
  auto op = rebuild(*read_op_text(text), counts);
  EXPECT_TRUE(op.has_value()) << text;
  return *std::move(op);
}

sw::compiler::tiles::OpWork work_of(const RebuiltOp& op) {
  const hlo::Computation& entry = op.module.entry_computation();
  return sw::compiler::tiles::op_work(op.module, entry, entry.root, sw::tpu_v3());
}

TEST(RebuiltOp, ALoopFusionReadsItsOperandsAndDoesItsFlops) {
  const double elements = 1024.0 * 1024;
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%f = f32[1024,1024]{1,0} fusion(f32[1024,1024]{1,0} %a, f32[1024,1024]{1,0} %b), kind=kLoop",
                      {3 * elements, {}, ""}));
  EXPECT_EQ(work.read_bytes(), Bytes(8 << 20));
  EXPECT_EQ(work.written_bytes, Bytes(4 << 20));
  EXPECT_EQ(work.epilogue.alu_ops, 3 * 1024) << "a register holds 1024 elements";
}

TEST(RebuiltOp, AFusionReadsNoMoreThanTheProfileSays) {
  // 128 of 1792 columns of the operand, and the written bytes.
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%f = f32[128,128]{0,1} fusion(f32[128,1792]{0,1} %a), kind=kLoop", {0, 2.0 * 65536, ""}));
  EXPECT_EQ(work.read_bytes(), Bytes(65536));
  EXPECT_EQ(work.written_bytes, Bytes(65536));
}

TEST(RebuiltOp, APartIsReplacedInPlaceWhereTheBytesAreFewerThanTheResult) {
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%f = f32[4096,128]{1,0} fusion(f32[4096,128]{1,0} %a, s32[] %i, f32[8,128]{1,0} %b), kind=kLoop",
                      {0, 3.0 * 4096 + 4, ""}));
  EXPECT_LE(work.read_bytes() + work.written_bytes, Bytes(4 * 4096));
}

TEST(RebuiltOp, AMatmulFusionHasItsContractionAndItsElementwiseOperations) {
  // [4096,1024] x [1024,2048], the sum with a bias, two operations.
  const double product = 2.0 * 4096 * 1024 * 2048, output = 4096.0 * 2048;
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%f = bf16[4096,2048]{1,0} fusion(bf16[4096,1024]{1,0} %x, bf16[1024,2048]{1,0} %w, f32[2048]{0} "
                      "%b), kind=kOutput",
                      {product + 2 * output, {}, ""}));
  ASSERT_TRUE(work.matmul.has_value());
  EXPECT_EQ(work.matmul->weight_tiles(128), 1024 / 128 * 2048 / 128);
  EXPECT_EQ(work.matmul->rows, 4096);
  EXPECT_EQ(work.epilogue.alu_ops, 2 * 4096 * 2048 / 1024);
  EXPECT_EQ(work.row_prologue.alu_ops + work.lane_prologue.alu_ops, 0);
}

TEST(RebuiltOp, StatisticsOfRowsMoveFromLanesToSublanes) {
  const double product = 2.0 * 16384 * 1024 * 1024, input = 16384.0 * 1024;
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%f = bf16[16384,1024]{1,0} fusion(bf16[16384,1024]{1,0} %x, bf16[1024,1024]{1,0} %w, "
                      "f32[16384]{0} %m), kind=kOutput",
                      {product + input, {}, ""}));
  EXPECT_EQ(work.row_relayouts + work.output_relayouts, 16384 / 8);
}

TEST(RebuiltOp, ZeroOperandsMakeRandomBits) {
  const double words = 16.0 * 512 * 512;
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%f = u32[16,512,512]{1,2,0} fusion(), kind=kLoop", {127 * words, {}, ""}));
  // 32 numbers to a word.
  EXPECT_GE(work.epilogue.alu_ops, 32 * words / 1024);
  EXPECT_EQ(work.read_bytes(), Bytes(0));
}

// A scalar predicate of 100 FLOPs is one random number and 99 more operations.
TEST(RebuiltOp, AScalarMadeOfNothingIsOneNumber) {
  const RebuiltOp op = rebuilt("%f = pred[] fusion(), kind=kLoop, calls=%c", {100, {}, "loop fusion"});
  const hlo::Computation& body = op.module.computations[op.module.entry_computation()[0].called[0]];
  EXPECT_EQ(body[0].opcode, hlo::Opcode::rng);
  EXPECT_EQ(body[0].shape.element_count(), 1);
  EXPECT_EQ(work_of(op).read_bytes(), Bytes(0));
}

TEST(RebuiltOp, AScatterIntoZerosUpdatesItsRows) {
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%f = f32[19656,128]{1,0:T(8,128)} fusion(s32[1664]{0} %i, f32[1664,128]{1,0:T(8,128)} %u, f32[] "
                      "%z), kind=kCustom",
                      {1664.0 * 128, {}, ""}));
  EXPECT_EQ(work.updated.slices, 1664);
  EXPECT_EQ(work.updated.pieces, 1664);
}

TEST(RebuiltOp, AGatherReadsItsRows) {
  const sw::compiler::tiles::OpWork work = work_of(rebuilt(
      "%f = bf16[1664,128]{1,0} fusion(f32[19656,128]{1,0:T(8,128)} %t, s32[2048]{0} %i), kind=kCustom", {0, {}, ""}));
  EXPECT_EQ(work.gathered.slices, 1664);
}

TEST(RebuiltOp, ATableAndIndicesWithoutFlopsAreAGatherHoweverManyRowsThereAre) {
  const sw::compiler::tiles::OpWork work = work_of(
      rebuilt("%f = f32[9000,1024]{1,0} fusion(f32[9000,1024]{1,0} %t, s32[9216]{0} %i), kind=kCustom", {0, {}, ""}));
  EXPECT_EQ(work.gathered.slices, 9000);
  EXPECT_EQ(work.updated.slices, 0);
}

// Measured: 79 us for 3200 elements of a vector, 102 us for 3200 of a matrix with two indices each, about 23 cycles for
// an element.
TEST(RebuiltOp, ElementsAreMovedBetweenLanesOneByOne) {
  for (const char* text : {"%f = f32[3200]{0} fusion(f32[4096]{0} %t, s32[4096]{0} %i), kind=kCustom",
                           "%f = s32[3200]{0} fusion(s32[16,16000]{1,0} %t, s32[6400]{0} %i), kind=kCustom"}) {
    EXPECT_EQ(work_of(rebuilt(text, {0, {}, ""})).lane_moves, 3 * 3200) << text;
  }
}

TEST(RebuiltOp, AMaskOfAnyTypeIsMadeOfRandomNumbers) {
  const RebuiltOp op = rebuilt("%f = bf16[42,256,2048]{2,1,0} fusion(), kind=kLoop", {3.0 * 42 * 256 * 2048, {}, ""});
  EXPECT_EQ(op.module.computations[op.module.entry_computation()[0].called[0]][0].opcode, hlo::Opcode::rng);
}

TEST(RebuiltOp, TheLargestElementsAreFoundByASort) {
  // 16 rows of 2^14 positions after padding, in two operands: 105 passes over 2 x 2 x 128 registers.
  const RebuiltOp op = rebuilt(
      "%c = (f32[16,200]{1,0}, s32[16,200]{1,0}) custom-call(f32[16,16000]{1,0} %a), custom_call_target=\"TopK\"");
  EXPECT_EQ(work_of(op).lane_moves, 105 * 2 * 2 * 128);
}

// A product of 2^34 FLOPs whose factors are not among the operands, and operands that do not fit its bytes.
TEST(RebuiltOp, WhatContradictsItsCountsIsModelledByThem) {
  const double flops = double(std::int64_t(1) << 34), bytes = double(64 << 20);
  const std::string text =
      "%f = f32[128,1024]{1,0} fusion(f32[1000,17]{1,0} %a, f32[17,33]{1,0} %b), kind=kOutput, calls=%c";
  const RebuiltOp op = rebuilt(text, {flops, bytes, "convolution fusion"});
  EXPECT_TRUE(op.by_counts);
  const sw::compiler::tiles::OpWork work = work_of(op);
  EXPECT_NEAR(double((work.read_bytes().total() + work.written_bytes.total()).value()), bytes, 0.01 * bytes);
  // Weight tiles of 128 x 128, two FLOPs for each and row.
  EXPECT_NEAR(double(work.matmul->weight_tiles(128) * work.matmul->rows) * 2 * 128 * 128, flops, 0.01 * flops);
  EXPECT_FALSE(rebuilt(text, {0, 4.0 * (128 * 1024 + 1000 * 128 + 24 * 128), "convolution fusion"}).by_counts);
}

// Rows 14 to 26 lie in the second, third and fourth eight rows of 27. Measured: 7.3 us, 5.9 without the first.
TEST(RebuiltOp, ASliceReadsTheTilesThatItTouches) {
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%s = f32[128,13,128]{2,1,0:T(8,128)} slice(f32[128,27,128]{2,1,0:T(8,128)} %a), "
                      "slice={[0:128], [14:27], [0:128]}"));
  EXPECT_EQ(work.read_bytes(), Bytes(128 * 24 * 128 * 4));
}

TEST(RebuiltOp, RegionsOfImagesAreGatheredByTheirLastDimensions) {
  const sw::compiler::tiles::OpWork work = work_of(
      rebuilt("%f = f32[4,1000,256]{2,1,0} fusion(f32[4,100,152,256]{3,2,1,0} %t, s32[4000,3]{1,0} %i), kind=kCustom",
              {0, {}, ""}));
  EXPECT_EQ(work.gathered.pieces, 4000 * 256 / 128);
  EXPECT_EQ(work.gathered.slices, 3 * 4000) << "an address is made of three indices";
  EXPECT_GE(work.gathered.bytes(), Bytes(4000 * 1024));
  EXPECT_LT(work.read_bytes(), Bytes(3 * 4000 * 1024)) << "not the images";
}

TEST(RebuiltOp, WhatIsNoFusionIsTakenAsItIsWritten) {
  const RebuiltOp op = rebuilt(
      "%c = f32[128,857]{0,1} convolution(bf16[128,1024]{1,0} %a, f32[857,1024]{1,0} %b), dim_labels=bf_oi->bf");
  EXPECT_FALSE(op.inferred);
  EXPECT_EQ(work_of(op).matmul->contraction_tiles, 1024 / 128);
  EXPECT_EQ(work_of(rebuilt("%c = f32[256,512]{0,1} copy(f32[256,512]{1,0} %a)")).lane_moves, 128)
      << "every register is transposed";
  EXPECT_EQ(work_of(rebuilt("%c = f32[4,256,512]{2,1,0} copy(f32[4,256,512]{2,1,0} %a)")).lane_moves, 0);
}

// An array of 128 x 28 x 28 x 96 elements with the batch in the lanes fills 9408 registers without padding. A tap of
// bf16 takes a widening, a product and a sum for each.
constexpr std::int64_t image_registers = 9408;
constexpr double image_elements = 128.0 * 28 * 28 * 96;
const std::string image = "bf16[128,28,28,96]{0,3,2,1}";

TEST(RebuiltOp, GroupsOfAConvolutionAreRead) {
  const auto text = [](const std::string& kernel, const std::string& groups) {
    return "%c = " + image + " convolution(" + image + " %x, " + kernel +
           " %k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f" + groups;
  };
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt(text("bf16[3,3,1,96]{3,2,1,0}", ", feature_group_count=96")));
  EXPECT_FALSE(work.matmul.has_value());
  EXPECT_EQ(work.epilogue.alu_ops, 9 * 3 * image_registers);
  EXPECT_FALSE(rebuilt(text("bf16[3,3,96,96]{3,2,1,0}", "")).inferred);
  EXPECT_TRUE(rebuilt(text("bf16[3,3,1,96]{3,2,1,0}", ""), {18 * image_elements, {}, "convolution"}).inferred)
      << "a text that ends before its groups";
}

// Forward and input gradient are the same without a stride: 9 taps in the middle of an image, fewer at its edges.
TEST(RebuiltOp, ADepthwiseConvolutionInAFusionIsFoundAmongMoreElementwiseWork) {
  const double taps = 82.0 / 28 * 82 / 28;  // 28 x 3 less two in the padding, in each dimension
  for (const int elementwise : {0, 8, 40}) {
    const sw::compiler::tiles::OpWork work =
        work_of(rebuilt("%f = " + image + " fusion(" + image + " %x, bf16[3,3,1,96]{3,2,1,0} %k, " + image +
                            " %y, bf16[96]{0} %scale), kind=kOutput",
                        {(2 * taps + elementwise) * image_elements, {}, ""}));
    EXPECT_FALSE(work.matmul.has_value());
    EXPECT_NEAR(double(work.epilogue.alu_ops), double((9 * 3 + std::max(2, elementwise)) * image_registers),
                double(2 * image_registers))
        << elementwise;
  }
}

TEST(RebuiltOp, GradientsOfADepthwiseConvolutionInAFusionAreFound) {
  const double taps = 82.0 / 28 * 82 / 28;
  const sw::compiler::tiles::OpWork kernel = work_of(
      rebuilt("%f = f32[3,3,1,96]{3,2,1,0} fusion(" + image + " %x, " + image + " %dy, " + image + " %y), kind=kOutput",
              {(2 * taps + 12) * image_elements, {}, ""}));
  EXPECT_FALSE(kernel.matmul.has_value());
  EXPECT_NEAR(double(kernel.epilogue.alu_ops), double((9 * 3 + 12) * image_registers), double(2 * image_registers));
  // With a stride of two the gradient is a quarter of the image: 9 taps for every element of the gradient.
  const sw::compiler::tiles::OpWork input =
      work_of(rebuilt("%f = " + image +
                          " fusion(bf16[128,14,14,96]{0,3,2,1} %dy, bf16[3,3,1,96]{3,2,1,0} %k, bf16[96]{0} %scale), "
                          "kind=kOutput",
                      {(2 * 9.0 / 4 + 6) * image_elements, {}, ""}));
  EXPECT_FALSE(input.matmul.has_value());
  EXPECT_NEAR(double(input.epilogue.alu_ops), double((9 / 4.0 * 3 + 6) * image_registers), double(2 * image_registers));
}

TEST(RebuiltOp, AMaskOfAFewSequencesIsNoDepthwiseKernel) {
  const double product = 2.0 * 8 * 16 * 512 * 512 * 64;
  const sw::compiler::tiles::OpWork work = work_of(
      rebuilt("%f = bf16[8,16,512,512]{3,2,1,0} fusion(bf16[8,16,512,64]{3,2,1,0} %q, bf16[8,16,512,64]{3,2,1,0} %k, "
              "bf16[8,1,1,512]{3,2,1,0} %mask, bf16[8,16,512,512]{3,2,1,0} %scores), kind=kOutput",
              {product + 2.0 * 8 * 16 * 512 * 512, {}, ""}));
  ASSERT_TRUE(work.matmul.has_value());
  EXPECT_EQ(work.matmul->batch, 8 * 16);
}

// Groups of 64 of 512 features on matrix units: the outputs of a weight tile see two groups.
TEST(RebuiltOp, GroupsOfSeveralFeaturesAreFoundInAFusion) {
  const double taps = 82.0 / 28 * 82 / 28, elements = 16.0 * 28 * 28 * 512;
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%f = bf16[16,28,28,512]{3,0,2,1} fusion(bf16[16,28,28,512]{3,0,2,1} %x, "
                      "bf16[3,3,64,512]{3,2,1,0} %k, bf16[512]{0} %scale), kind=kOutput",
                      {(2 * 64 * taps + 4) * elements, {}, ""}));
  ASSERT_TRUE(work.matmul.has_value());
  EXPECT_EQ(work.matmul->weight_tiles(128), 9 * 4);
}

// Regions of images are sums of pixels with weights made from boxes inside the fusion: for each of 4 x 512 regions a
// product of [7,208] and [208,7x256], as well as a product of the pixels with themselves for every region and channel.
TEST(RebuiltOp, WeightsMadeInsideAreMultipliedInsteadOfAnOperandWithItself) {
  const double product = 2.0 * 4 * 512 * 7 * 7 * 256 * 208;
  const sw::compiler::tiles::OpWork work = work_of(rebuilt(
      "%f = f32[4,512,7,7,256]{1,4,3,2,0} fusion(f32[4,512,4] %boxes, f32[4,512,7,208,256] %rows), kind=kOutput",
      {product + 10.0 * 4 * 512 * 7 * 208, {}, ""}));
  ASSERT_TRUE(work.matmul.has_value());
  EXPECT_LE(work.matmul->weight_tiles(128) * std::max<std::int64_t>(128, work.matmul->rows),
            4 * 512 * 2 * (7 * 256 / 128) * 128)
      << "the depth of 208 in two weight tiles for each region and 128 columns";
}

// Results that keep the summed dimensions, of one element, take the same sums as results without them.
TEST(RebuiltOp, ASumThatKeepsDimensionsOfOneElementIsAReduction) {
  const double elements = 64.0 * 256 * 512;
  const auto work = [&](const std::string& result) {
    return work_of(rebuilt("%f = " + result + " fusion(f32[64,256,512]{2,1,0} %a), kind=kLoop", {elements, {}, ""}));
  };
  const auto without = work("f32[64]{0}"), with = work("f32[64,1,1]{0,2,1}");
  EXPECT_GT(without.lane_moves, 0);
  EXPECT_EQ(with.lane_moves, without.lane_moves);
  EXPECT_EQ(with.epilogue.alu_ops, without.epilogue.alu_ops);
}

TEST(RebuiltOp, SortsInBitonicPasses) {
  // 2^14 elements: 14 x 15 / 2 passes over 16 registers of two operands.
  const sw::compiler::tiles::OpWork work = work_of(rebuilt(
      "%s = (s32[16384]{0}, s32[16384]{0}) sort(s32[16384]{0} %a, s32[16384]{0} %b), dimensions={0}, to_apply=%less"));
  EXPECT_EQ(work.passes, 105);
  EXPECT_EQ(work.lane_moves, 105 * 32);
}

// Rows of 8732 elements are sorted as 16384. Measured: 34.7 ms; the passes alone take 37.1 ms at 8 cycles a register.
TEST(RebuiltOp, RowsAreSortedAsPowersOfTwo) {
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%s = (f32[1296,8732]{1,0}, s32[1296,8732]{1,0}) sort(f32[1296,8732]{1,0} %a, "
                      "s32[1296,8732]{1,0} %b), dimensions={1}, is_stable=true, to_apply=%c"));
  EXPECT_EQ(work.lane_moves, 105 * 2 * (1296 / 8) * (16384 / 128));
}

// The mask of each of 512 regions is that of its own class: logits of 91 classes times a one-hot vector.
TEST(RebuiltOp, AProductWithAVectorForEveryIndexIsASum) {
  const double logits = 512.0 * 28 * 28 * 91, product = 2 * logits * 256;
  const sw::compiler::tiles::OpWork work =
      work_of(rebuilt("%f = bf16[512,28,28]{0,2,1} fusion(bf16[512,28,28,256]{3,0,2,1} %x, bf16[512,91]{0,1} %c, "
                      "f32[1,1,256,91]{2,3,1,0} %w), kind=kOutput",
                      {product + 2 * logits, {}, ""}));
  ASSERT_TRUE(work.matmul.has_value());
  EXPECT_TRUE(work.earlier_matmuls.empty());
  EXPECT_EQ(work.matmul->weight_tiles(128) * work.matmul->rows, 2 * 512 * 28 * 28 / 128 * 96);
  EXPECT_EQ(work.epilogue.alu_ops, 2 * 512 * 28 * 28 / 128 * 96 / 8) << "a multiplication and an addition";
}

// An interpolation of four points has their weights and positions in four lanes of as many rows.
TEST(RebuiltOp, RowsOfFewAddendsAreSpreadOverTheLanes) {
  const double elements = 4.0 * 512 * 7 * 208;
  const auto moves = [&](const char* addends) {
    const std::string operand = std::string("[4,512,7,") + addends + "]{3,2,1,0}";
    return work_of(rebuilt("%f = bf16[4,512,7,208]{3,2,1,0} fusion(f32" + operand + " %w, s32" + operand +
                               " %i), kind=kLoop",
                           {8 * elements, {}, ""}))
        .lane_moves;
  };
  EXPECT_EQ(moves("4"), 2 * 3 * 4 * 512 * 7) << "two operands, three operations for a row";
  EXPECT_EQ(moves("104"), 0) << "rows of many elements are no addends";
}

// Rows with an index for an image and one for a position in it are moved one by one, 17 to 26 cycles each in MLPerf SSD
// and Mask R-CNN, however small the table is; rows with one index take 3.9 from a table of the same size.
TEST(RebuiltOp, RowsWithTwoIndicesAreLookedUpOneByOne) {
  const auto work = [](const char* indices) {
    return work_of(rebuilt(std::string("%f = bf16[8000,4]{1,0} fusion(bf16[4,3276,4]{2,1,0} %t, s32[") + indices +
                               "]{0} %i), kind=kCustom",
                           {0, {}, "gather fusion"}));
  };
  const sw::compiler::tiles::OpWork two = work("16000"), one = work("8192");
  EXPECT_EQ(two.gathered.pieces, 8000);
  EXPECT_EQ(two.gathered.slices, 2 * 8000) << "an address is made of every index";
  EXPECT_EQ(one.gathered.pieces, 0) << "the table is in VMEM; 8192 is 8000 in whole tiles";
}

// MLPerf Mask R-CNN sorts four rows of 209664 keys and positions in 6653 us. Registers are half filled, since a tile
// has four sublanes: 171 passes over 2 x 2048 registers in eight cycles of the cross-lane unit take 5961 us, and full
// registers would take half of that.
TEST(RebuiltOp, SortedTilesOfFewRowsFillAPartOfARegister) {
  const auto moves = [](const std::string& array) {
    return work_of(rebuilt("%s = (f32" + array + ", s32" + array + ") sort(f32" + array + " %a, s32" + array +
                           " %b), dimensions={1}, is_stable=true, to_apply=%c"))
        .lane_moves;
  };
  EXPECT_EQ(moves("[4,209664]{1,0:T(4,128)}"), 171 * 2 * (1 << 18) / 128);
  EXPECT_EQ(moves("[8,209664]{1,0:T(8,128)}"), 171 * 2 * (1 << 18) / 128) << "eight rows take as long as four";
  EXPECT_NEAR(8.0 * double(moves("[4,209664]{1,0:T(4,128)}")) / 940, 6653, 0.15 * 6653);
}

TEST(RebuiltOp, WhatItsTextLacksIsInferredOrNothing) {
  // A convolution without its roles is rebuilt like a fusion; without operands there is no result.
  const double flops = 2.0 * 128 * 1024 * 857;
  EXPECT_TRUE(
      work_of(rebuilt("%c = f32[128,857]{0,1} convolution(bf16[128,1024]{1,0} %a, f32[857,1024]{1,0} %b), dim_la",
                      {flops, {}, "convolution"}))
          .matmul.has_value());
  EXPECT_FALSE(rebuild(*read_op_text("%t = token[] after-all()"), {}).has_value());
}

}  // namespace
}  // namespace podsim::validation::profile
