// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/op_work.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "sw/compiler/vector_cost.h"
#include "sw/graph/flops.h"
#include "tests/sw/compiler/core_ops.h"
#include "tests/sw/compiler/random_module.h"
#include "tests/sw/hlo/graph_of.h"

namespace podsim::sw {
namespace {

using base::Bytes;

OpWork only_work_of(Module module) {
  std::vector<OpWork> works = testing::works_of(std::move(module), hw::tpu_v3());
  EXPECT_EQ(works.size(), 1U);
  return works.front();
}

Bytes padded(ElementType type, std::vector<std::int64_t> sizes) {
  return padded_bytes(make_shape(type, std::move(sizes)));
}

bool reads_through_slices(const Module& module, const Instruction& instruction) {
  if (instruction.opcode == Opcode::slice) return true;
  if (instruction.opcode != Opcode::fusion) return false;
  return std::ranges::any_of(module.computations[instruction.called[0]].instructions,
                             [](const Instruction& i) { return i.opcode == Opcode::slice; });
}

// The bytes that XLA's cost analysis counts: operands, each once, and results.
RC_GTEST_PROP(OpWork, AnyOpReadsItsOperandsOnceAndWritesItsResults, ()) {
  const hw::Machine machine = hw::tpu_v3();
  Module module = testing::RandomModule::make();
  assign_layouts(module.computations[module.entry]);
  Module fused = fuse(module);
  const Computation& entry = fused.entry_computation();
  for (InstructionId id = 0; id < InstructionId(entry.instructions.size()); ++id) {
    if (!is_core_op(entry[id])) continue;
    OpWork work = op_work(fused, entry, id, machine);
    RC_ASSERT(work.written_bytes == padded_bytes(entry[id].shape));
    Bytes expected = cost(fused, entry, id).bytes;
    Bytes moved = work.read_bytes() + work.written_bytes;
    if (reads_through_slices(fused, entry[id])) {
      RC_ASSERT(moved <= expected);
    } else {
      RC_ASSERT(moved == expected);
    }
  }
}

TEST(OpWork, WhatIsPlacedInVmemMovesNothing) {
  const auto work_of = [](const std::string& from, const std::string& to) {
    const Module module = testing::graph_of(
        "HloModule m, is_scheduled=true\nENTRY %e (x: f32[512,1024]) -> f32[512,1024] {\n  %x = "
        "f32[512,1024]{1,0:T(8,128)" +
        from + "} parameter(0)\n  ROOT %y = f32[512,1024]{1,0:T(8,128)" + to + "} negate(%x)\n}\n");
    return op_work(module, module.entry_computation(), module.entry_computation().root, hw::tpu_v3());
  };
  const Bytes bytes(512 * 1024 * 4);
  EXPECT_EQ(work_of("", "").read_bytes(), bytes);
  EXPECT_EQ(work_of("", "").written_bytes, bytes);
  EXPECT_EQ(work_of("S(1)", "").read_bytes(), Bytes(0));
  EXPECT_EQ(work_of("S(1)", "").written_bytes, bytes);
  EXPECT_EQ(work_of("", "S(1)").read_bytes(), bytes);
  EXPECT_EQ(work_of("", "S(1)").written_bytes, Bytes(0));
  EXPECT_EQ(work_of("S(1)", "S(1)").epilogue, work_of("", "").epilogue);
}

TEST(OpWork, ASliceReadsOnlyWhatItKeeps) {
  GraphBuilder b("slice");
  InstructionId x = b.parameter(make_shape(ElementType::f32, {1024, 1024}), "x");
  InstructionId part = b.slice(x, {{0, 256}, {0, 1024}});
  OpWork work = only_work_of(std::move(b).build(b.negate(part)));
  EXPECT_EQ(work.read_bytes(), padded(ElementType::f32, {256, 1024}));
}

TEST(OpWork, SlicesThatTogetherCoverMoreThanTheArrayReadItOnce) {
  GraphBuilder b("slices");
  InstructionId x = b.parameter(make_shape(ElementType::f32, {1024, 1024}), "x");
  InstructionId low = b.slice(x, {{0, 768}, {0, 1024}});
  InstructionId high = b.slice(x, {{256, 1024}, {0, 1024}});
  OpWork work = only_work_of(std::move(b).build(b.add(low, high)));
  EXPECT_EQ(work.read_bytes(), padded(ElementType::f32, {1024, 1024}));
}

// Silicon runs the strided 1x1 convolutions of ResNet-50 faster than their whole input could be read.
TEST(OpWork, AStridedPointwiseConvolutionReadsHalfOfItsInput) {
  GraphBuilder b("strided");
  InstructionId x = b.parameter(make_shape(ElementType::bf16, {128, 56, 56, 256}), "x");
  InstructionId k = b.parameter(make_shape(ElementType::bf16, {1, 1, 256, 512}), "k");
  WindowDimension w{.stride = 2};
  OpWork work =
      only_work_of(std::move(b).build(b.convolution(x, k, {w, w}, convolution_dimensions("b01f_01io->b01f"))));
  EXPECT_EQ(work.row_bytes * 2, padded(ElementType::bf16, {56, 56, 128, 256}));
  EXPECT_EQ(work.lane_bytes, padded(ElementType::bf16, {256, 512}));
}

TEST(OpWork, TrafficGoesWithTheOperandItFeeds) {
  GraphBuilder b("sides");
  InstructionId x = b.parameter(make_shape(ElementType::bf16, {2048, 512}), "x");
  InstructionId y = b.parameter(make_shape(ElementType::bf16, {512, 256}), "y");
  InstructionId bias = b.parameter(make_shape(ElementType::bf16, {2048, 256}), "bias");
  InstructionId scale = b.parameter(make_shape(ElementType::bf16, {256}), "scale");
  InstructionId z = b.add(b.dot(b.multiply(x, x), b.negate(y), {{}, {}, {1}, {0}}), bias);
  OpWork work = only_work_of(std::move(b).build(b.multiply(z, b.broadcast(scale, {2048, 256}, {1}))));
  EXPECT_EQ(work.row_bytes, padded(ElementType::bf16, {2048, 512}));
  EXPECT_EQ(work.lane_bytes, padded(ElementType::bf16, {512, 256}));
  EXPECT_EQ(work.output_side_bytes, padded(ElementType::bf16, {2048, 256}));
  EXPECT_EQ(work.small_bytes, padded(ElementType::bf16, {256})) << "a vector is read once";
  EXPECT_EQ(work.written_bytes, padded(ElementType::bf16, {2048, 256}));
  // One product on the rows, one negation on the weights, a sum and a product on the result.
  EXPECT_EQ(work.row_prologue.alu_ops, 2048 * 512 / 1024);
  EXPECT_EQ(work.lane_prologue.alu_ops, 512 * 256 / 1024);
  EXPECT_EQ(work.epilogue.alu_ops, 2 * 2048 * 256 / 1024);
  // A register of 4 KiB holds 2048 bf16 on the way between VMEM and the vector unit.
  EXPECT_EQ(work.row_prologue.loads, 2048 * 512 / 2048);
  EXPECT_EQ(work.lane_prologue.loads, 512 * 256 / 2048);
  EXPECT_EQ(work.epilogue.loads, 2048 * 256 / 2048);
  EXPECT_EQ(work.epilogue.stores, 2048 * 256 / 2048);
}

TEST(OpWork, WhatBothTheOperandAndTheResultNeedIsWorkOnTheOperand) {
  GraphBuilder b("shared");
  InstructionId x = b.parameter(make_shape(ElementType::f32, {1024, 512}), "x");
  InstructionId k = b.parameter(make_shape(ElementType::f32, {512, 512}), "k");
  InstructionId twice = b.add(x, x);
  OpWork work = only_work_of(std::move(b).build(b.add(b.dot(twice, k, {{}, {}, {1}, {0}}), twice)));
  EXPECT_EQ(work.row_prologue.alu_ops + work.epilogue.alu_ops, 2 * 1024 * 512 / 1024) << "each sum once";
  EXPECT_EQ(work.read_bytes(), padded(ElementType::f32, {1024, 512}) + padded(ElementType::f32, {512, 512}));
}

TEST(OpWork, ConversionsThatOnlyFeedTheMatrixUnitAreFree) {
  OpWork work = only_work_of(testing::convolution_with_statistics({128, 14, 256, 256, 3}));
  EXPECT_EQ(work.lane_prologue.alu_ops, 0) << "the MXU rounds f32 weights on entry";
  EXPECT_EQ(work.lane_bytes, padded(ElementType::f32, {9, 256, 256}));
}

TEST(OpWork, StatisticsOfAConvolutionAreEpilogueWork) {
  OpWork work = only_work_of(testing::convolution_with_statistics({128, 14, 256, 256, 3}));
  // Widen, square, add the value, add the square: four operations per element.
  EXPECT_EQ(work.epilogue.alu_ops, 4 * 128 * 14 * 14 * 256 / 1024);
  EXPECT_EQ(work.written_bytes, padded(ElementType::bf16, {14, 14, 128, 256}) + 2 * padded(ElementType::f32, {256}));
}

TEST(OpWork, AKernelGradientTransposesTheImageWhoseChannelsAreInTheLanes) {
  const testing::ConvolutionCase no_lane_batch{128, 14, 256, 256, 3};
  std::vector<OpWork> works = testing::works_of(testing::kernel_gradient(no_lane_batch), hw::tpu_v3());
  ASSERT_EQ(works.size(), 2U);
  EXPECT_EQ(works[0].cross_lane_ops, 0) << "forward, the channels are contracted and in the lanes";
  // Every 4 KiB register of the streamed image once.
  EXPECT_EQ(works[1].cross_lane_ops * 4096, padded(ElementType::bf16, {14, 14, 128, 256}).value());
}

TEST(OpWork, BareOpsAreWorkedOutAsFusionsOfOne) {
  GraphBuilder b("bare");
  InstructionId x = b.parameter(make_shape(ElementType::f32, {1024, 256}), "x");
  OpWork work = only_work_of(std::move(b).build(b.transpose(x, {1, 0})));
  EXPECT_FALSE(work.matmul.has_value());
  EXPECT_EQ(work.cross_lane_ops, 1024 * 256 / 1024);
  EXPECT_EQ(work.read_bytes(), padded(ElementType::f32, {1024, 256}));
}

TEST(OpWork, AnOperandReadTwiceByABareOpIsReadOnce) {
  GraphBuilder b("square");
  InstructionId x = b.parameter(make_shape(ElementType::f32, {1024, 256}), "x");
  OpWork work = only_work_of(std::move(b).build(b.multiply(x, x)));
  EXPECT_EQ(work.read_bytes(), padded(ElementType::f32, {1024, 256}));
}

TEST(OpWork, CategoriesAreThoseOfXProf) {
  GraphBuilder b("categories");
  InstructionId x = b.parameter(make_shape(ElementType::f32, {64, 64}), "x");
  InstructionId product = b.dot(x, x, {{}, {}, {1}, {0}});
  WindowDimension half{.size = 2, .stride = 2};
  InstructionId pooled = b.reduce_window_max(x, {half, half});
  InstructionId scattered = b.select_and_scatter(x, pooled, b.constant(ElementType::f32, 0), {half, half},
                                                 b.comparator(ComparisonDirection::ge, ElementType::f32),
                                                 b.combiner(Opcode::add, ElementType::f32));
  std::vector<std::pair<InstructionId, std::string>> expected{
      {product, "convolution"},          {pooled, "reduce-window"},
      {scattered, "select-and-scatter"}, {b.transpose(x, {1, 0}), "data formatting"},
      {b.copy(x), "data formatting"},    {b.reduce_add(x, {1}), "reduce"},
      {b.all_reduce(x), "all-reduce"},   {b.tanh(x), "non-fusion elementwise"},
  };
  std::vector<Instruction> instructions;
  for (const auto& [id, category] : expected) instructions.push_back(b[id]);
  Module module = std::move(b).build(product);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(category_of(module, instructions[i]), expected[i].second) << to_string(instructions[i].opcode);
  }
}

TEST(OpWork, AFusionWithAMatmulIsAConvolutionFusionAndAnyOtherALoopFusion) {
  Module fused = fuse(testing::scaled_relu({64, 128}));
  const Computation& loop = fused.entry_computation();
  EXPECT_EQ(category_of(fused, loop[loop.root]), "loop fusion");
  GraphBuilder b("matmul");
  InstructionId x = b.parameter(make_shape(ElementType::f32, {64, 64}), "x");
  Module matmul = fuse(std::move(b).build(b.negate(b.dot(x, x, {{}, {}, {1}, {0}}))));
  const Computation& entry = matmul.entry_computation();
  EXPECT_EQ(category_of(matmul, entry[entry.root]), "convolution fusion");
}

TEST(OpWork, WhatOnlyRenamesOrCommunicatesIsNoCoreOp) {
  for (Opcode opcode : {Opcode::parameter, Opcode::constant, Opcode::tuple, Opcode::get_tuple_element, Opcode::reshape,
                        Opcode::all_reduce, Opcode::infeed, Opcode::outfeed}) {
    Instruction instruction;
    instruction.opcode = opcode;
    EXPECT_FALSE(is_core_op(instruction)) << to_string(opcode);
  }
  for (Opcode opcode : {Opcode::fusion, Opcode::copy, Opcode::dot, Opcode::select_and_scatter, Opcode::add}) {
    Instruction instruction;
    instruction.opcode = opcode;
    EXPECT_TRUE(is_core_op(instruction)) << to_string(opcode);
  }
}

}  // namespace
}  // namespace podsim::sw
