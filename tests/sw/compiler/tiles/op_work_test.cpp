// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/op_work.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/transform/flops.h"
#include "sw/compiler/tiles/core_op.h"
#include "sw/compiler/tiles/tile_maker.h"
#include "sw/compiler/tiles/vector_cost.h"
#include "tests/hlo/text/corpus.h"
#include "tests/hlo/text/graph_of.h"
#include "tests/sw/compiler/core_ops.h"
#include "tests/sw/compiler/random_module.h"
#include "tests/sw/target_machines.h"
#include "validation/profile/profile.h"

namespace podsim::sw::compiler::tiles {
namespace {

using base::Bytes;

OpWork only_work_of(hlo::Module module) {
  std::vector<OpWork> works = testing::works_of(std::move(module), sw::tpu_v3());
  EXPECT_EQ(works.size(), 1U);
  return works.front();
}

Bytes padded(hlo::ElementType type, std::vector<std::int64_t> sizes) {
  return hlo::padded_bytes(hlo::make_shape(type, std::move(sizes)));
}

bool reads_through_slices(const hlo::Module& module, const hlo::Instruction& instruction) {
  if (instruction.opcode == hlo::Opcode::slice) return true;
  if (instruction.opcode != hlo::Opcode::fusion) return false;
  return std::ranges::any_of(module.computations[instruction.called[0]].instructions,
                             [](const hlo::Instruction& i) { return i.opcode == hlo::Opcode::slice; });
}

// The bytes that XLA's cost analysis counts: operands, each once, and results.
RC_GTEST_PROP(OpWork, AnyOpReadsItsOperandsOnceAndWritesItsResults, ()) {
  const sw::TargetMachine machine = sw::tpu_v3();
  hlo::Module module = testing::RandomModule::make();
  fuse::assign_layouts(module);
  hlo::Module fused = fuse::fuse(module);
  const hlo::Computation& entry = fused.entry_computation();
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry.instructions.size()); ++id) {
    if (!is_core_op(entry[id])) continue;
    OpWork work = op_work(fused, entry, id, machine);
    RC_ASSERT(work.written_bytes == hlo::padded_bytes(entry[id].shape));
    Bytes expected = hlo::transform::cost(fused, entry, id).bytes;
    Bytes moved = (work.read_bytes() + work.written_bytes).total();
    if (reads_through_slices(fused, entry[id])) {
      RC_ASSERT(moved <= expected);
    } else {
      RC_ASSERT(moved == expected);
    }
  }
}

TEST(OpWork, WhatIsPlacedInVmemMovesNothing) {
  const auto work_of = [](const std::string& from, const std::string& to) {
    const hlo::Module module = hlo::text::testing::graph_of(
        "HloModule m, is_scheduled=true\nENTRY %e (x: f32[512,1024]) -> f32[512,1024] {\n  %x = "
        "f32[512,1024]{1,0:T(8,128)" +
        from + "} parameter(0)\n  ROOT %y = f32[512,1024]{1,0:T(8,128)" + to + "} negate(%x)\n}\n");
    return op_work(module, module.entry_computation(), module.entry_computation().root, sw::tpu_v3());
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

TEST(OpWork, WhatIsPlacedInADeclaredLevelMovesThere) {
  const hlo::Module module = hlo::text::testing::graph_of(R"(HloModule m, is_scheduled=true
ENTRY %e (x: f32[512,1024], z: f32[512,1024]) -> f32[512,1024] {
  %x = f32[512,1024]{1,0:T(8,128)S(2)} parameter(0)
  %z = f32[512,1024]{1,0:T(8,128)} parameter(1)
  ROOT %y = f32[512,1024]{1,0:T(8,128)S(2)} add(%x, %z)
}
)");
  const Bytes bytes(512 * 1024 * 4);
  const hlo::Computation& entry = module.entry_computation();
  const OpWork work = op_work(module, entry, entry.root, sw::cmem_machine());
  EXPECT_EQ(work.read_bytes()[hw::level::hbm], bytes);
  EXPECT_EQ(work.read_bytes()[2], bytes);
  EXPECT_EQ(work.written_bytes[hw::level::hbm], Bytes(0));
  EXPECT_EQ(work.written_bytes[2], bytes);
  EXPECT_EQ(op_work(module, entry, entry.root, sw::tpu_v3()).read_bytes().total(), bytes)
      << "a number that is no level, as of scalar memory, moves nothing";
}

// A table of rows in the level: the rows are read from there, the indices from the HBM.
TEST(OpWork, RowsOfATableInADeclaredLevelAreReadThere) {
  const hlo::Module module = hlo::text::testing::graph_of(R"(HloModule m, is_scheduled=true
ENTRY %e (t: f32[100000,128], i: s32[4096,1]) -> f32[4096,128] {
  %t = f32[100000,128]{1,0:T(8,128)S(2)} parameter(0)
  %i = s32[4096,1]{1,0:T(8,128)} parameter(1)
  ROOT %r = f32[4096,128]{1,0:T(8,128)} gather(%t, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,128}
}
)");
  const hlo::Computation& entry = module.entry_computation();
  const OpWork work = op_work(module, entry, entry.root, sw::cmem_machine());
  EXPECT_EQ(work.gathered.level, 2);
  EXPECT_EQ(work.read_bytes()[2], Bytes(4096 * 512));
}

TEST(OpWork, ASliceReadsOnlyWhatItKeeps) {
  hlo::build::GraphBuilder b("slice");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {1024, 1024}), "x");
  hlo::InstructionId part = b.slice(x, {{0, 256}, {0, 1024}});
  OpWork work = only_work_of(std::move(b).build(b.negate(part)));
  EXPECT_EQ(work.read_bytes(), padded(hlo::ElementType::f32, {256, 1024}));
}

TEST(OpWork, SlicesThatTogetherCoverMoreThanTheArrayReadItOnce) {
  hlo::build::GraphBuilder b("slices");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {1024, 1024}), "x");
  hlo::InstructionId low = b.slice(x, {{0, 768}, {0, 1024}});
  hlo::InstructionId high = b.slice(x, {{256, 1024}, {0, 1024}});
  OpWork work = only_work_of(std::move(b).build(b.add(low, high)));
  EXPECT_EQ(work.read_bytes(), padded(hlo::ElementType::f32, {1024, 1024}));
}

// Silicon runs the strided 1x1 convolutions of ResNet-50 faster than their whole input could be read.
TEST(OpWork, AStridedPointwiseConvolutionReadsHalfOfItsInput) {
  hlo::build::GraphBuilder b("strided");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {128, 56, 56, 256}), "x");
  hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {1, 1, 256, 512}), "k");
  hlo::WindowDimension w{.stride = 2};
  OpWork work = only_work_of(
      std::move(b).build(b.convolution(x, k, {w, w}, hlo::build::convolution_dimensions("b01f_01io->b01f"))));
  EXPECT_EQ(work.row_bytes * 2, padded(hlo::ElementType::bf16, {56, 56, 128, 256}));
  EXPECT_EQ(work.lane_bytes, padded(hlo::ElementType::bf16, {256, 512}));
}

TEST(OpWork, TrafficGoesWithTheOperandItFeeds) {
  hlo::build::GraphBuilder b("sides");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {2048, 512}), "x");
  hlo::InstructionId y = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {512, 256}), "y");
  hlo::InstructionId bias = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {2048, 256}), "bias");
  hlo::InstructionId scale = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {256}), "scale");
  hlo::InstructionId z = b.add(b.dot(b.multiply(x, x), b.negate(y), {{}, {}, {1}, {0}}), bias);
  OpWork work = only_work_of(std::move(b).build(b.multiply(z, b.broadcast(scale, {2048, 256}, {1}))));
  EXPECT_EQ(work.row_bytes, padded(hlo::ElementType::bf16, {2048, 512}));
  EXPECT_EQ(work.lane_bytes, padded(hlo::ElementType::bf16, {512, 256}));
  EXPECT_EQ(work.output_side_bytes, padded(hlo::ElementType::bf16, {2048, 256}));
  EXPECT_EQ(work.small_bytes, padded(hlo::ElementType::bf16, {256})) << "a vector is read once";
  EXPECT_EQ(work.written_bytes, padded(hlo::ElementType::bf16, {2048, 256}));
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

// An addend with the batch in its sublanes: each of four products reads its layout tiles, which have rows of all four.
TEST(OpWork, ProductsOfABatchShareAnAddendThatHasTheBatchInItsSublanes) {
  const auto work_with_addend = [](const std::string& layout) {
    const hlo::Module module = hlo::text::testing::graph_of(
        "HloModule m, is_scheduled=true\n"
        "%f (a: bf16[4,512,64], b: bf16[4,512,96,256], c: bf16[4,64,96,256]) -> bf16[4,64,96,256] {\n"
        "  %a = bf16[4,512,64]{2,1,0} parameter(0)\n"
        "  %b = bf16[4,512,96,256]{3,2,1,0} parameter(1)\n"
        "  %c = bf16[4,64,96,256]" +
        layout +
        " parameter(2)\n"
        "  %d = bf16[4,64,96,256]{3,1,2,0} dot(%a, %b), lhs_batch_dims={0}, rhs_batch_dims={0}, "
        "lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
        "  ROOT %s = bf16[4,64,96,256]{3,1,2,0} add(%d, %c)\n}\n"
        "ENTRY %e (a: bf16[4,512,64], b: bf16[4,512,96,256], c: bf16[4,64,96,256]) -> bf16[4,64,96,256] {\n"
        "  %a = bf16[4,512,64]{2,1,0} parameter(0)\n"
        "  %b = bf16[4,512,96,256]{3,2,1,0} parameter(1)\n"
        "  %c = bf16[4,64,96,256]" +
        layout +
        " parameter(2)\n"
        "  ROOT %r = bf16[4,64,96,256]{3,1,2,0} fusion(%a, %b, %c), kind=kOutput, calls=%f\n}\n");
    return op_work(module, module.entry_computation(), module.entry_computation().root, sw::tpu_v3());
  };
  const OpWork as_result = work_with_addend("{3,1,2,0}"), batch_in_sublanes = work_with_addend("{3,0,2,1}");
  EXPECT_EQ(as_result.sharing_products, 1);
  EXPECT_EQ(as_result.shared_side_bytes.total(), Bytes(0));
  EXPECT_EQ(batch_in_sublanes.sharing_products, 4);
  EXPECT_EQ(batch_in_sublanes.shared_side_bytes.total(), Bytes(4 * 64 * 96 * 256 * 2));
  EXPECT_EQ(batch_in_sublanes.output_side_bytes, as_result.output_side_bytes);
  // A store for each half of a row of 256.
  EXPECT_EQ(batch_in_sublanes.epilogue.stores - as_result.epilogue.stores, 2 * 4 * 64 * 96);
  // In tiles of one product each, the addend is read four times.
  const auto read_of = [](const OpWork& work) {
    Bytes read;
    for (const hw::TileRun& run : make_tiles(work, {.batch = 4}, sw::tpu_v3(), "op").runs) {
      for (const hw::TileTransfer& transfer : run.work.reads) read += run.count * transfer.bytes;
    }
    return read;
  };
  EXPECT_EQ(read_of(batch_in_sublanes) - read_of(as_result), Bytes(3 * 4 * 64 * 96 * 256 * 2));
}

TEST(OpWork, WhatBothTheOperandAndTheResultNeedIsWorkOnTheOperand) {
  hlo::build::GraphBuilder b("shared");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {1024, 512}), "x");
  hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::f32, {512, 512}), "k");
  hlo::InstructionId twice = b.add(x, x);
  OpWork work = only_work_of(std::move(b).build(b.add(b.dot(twice, k, {{}, {}, {1}, {0}}), twice)));
  EXPECT_EQ(work.row_prologue.alu_ops + work.epilogue.alu_ops, 2 * 1024 * 512 / 1024) << "each sum once";
  EXPECT_EQ(work.read_bytes(), padded(hlo::ElementType::f32, {1024, 512}) + padded(hlo::ElementType::f32, {512, 512}));
}

TEST(OpWork, ConversionsThatOnlyFeedTheMatrixUnitAreFree) {
  OpWork work = only_work_of(testing::convolution_with_statistics({128, 14, 256, 256, 3}));
  EXPECT_EQ(work.lane_prologue.alu_ops, 0) << "the MXU rounds f32 weights on entry";
  EXPECT_EQ(work.lane_bytes, padded(hlo::ElementType::f32, {9, 256, 256}));
}

TEST(OpWork, StatisticsOfAConvolutionAreEpilogueWork) {
  OpWork work = only_work_of(testing::convolution_with_statistics({128, 14, 256, 256, 3}));
  // Widen, square, add the value, add the square: four operations per element.
  EXPECT_EQ(work.epilogue.alu_ops, 4 * 128 * 14 * 14 * 256 / 1024);
  EXPECT_EQ(work.written_bytes,
            padded(hlo::ElementType::bf16, {14, 14, 128, 256}) + 2 * padded(hlo::ElementType::f32, {256}));
}

TEST(OpWork, AKernelGradientTransposesTheImageWhoseChannelsAreInTheLanes) {
  const testing::ConvolutionCase no_lane_batch{128, 14, 256, 256, 3};
  std::vector<OpWork> works = testing::works_of(testing::kernel_gradient(no_lane_batch), sw::tpu_v3());
  ASSERT_EQ(works.size(), 2U);
  EXPECT_EQ(works[0].lane_moves, 0) << "forward, the channels are contracted and in the lanes";
  // Every 4 KiB register of the streamed image once.
  EXPECT_EQ(works[1].lane_moves * 4096, padded(hlo::ElementType::bf16, {14, 14, 128, 256}).value());
}

TEST(OpWork, BareOpsAreWorkedOutAsFusionsOfOne) {
  hlo::build::GraphBuilder b("bare");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {1024, 256}), "x");
  OpWork work = only_work_of(std::move(b).build(b.transpose(x, {1, 0})));
  EXPECT_FALSE(work.matmul.has_value());
  EXPECT_EQ(work.lane_moves, 1024 * 256 / 1024);
  EXPECT_EQ(work.read_bytes(), padded(hlo::ElementType::f32, {1024, 256}));
}

// A transposition whose result has its dimensions in the order of the operand's memory moves nothing.
TEST(OpWork, ATranspositionThatKeepsEveryPlaceIsNoOp) {
  hlo::build::GraphBuilder b("kept");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {128, 8, 8, 96}), "x");
  hlo::Module module = std::move(b).build(b.transpose(x, {1, 2, 3, 0}));
  hlo::Computation& entry = module.computations[module.entry];
  EXPECT_TRUE(is_core_op(entry, entry.root));
  entry[entry.parameters.front()].shape.minor_to_major = {0, 3, 2, 1};
  EXPECT_FALSE(is_core_op(entry, entry.root)) << "rows of images, then columns, channels, images in the lanes";
  entry[entry.parameters.front()].shape.minor_to_major = {0, 3, 1, 2};
  EXPECT_TRUE(is_core_op(entry, entry.root)) << "columns before rows";
}

TEST(OpWork, AnOperandReadTwiceByABareOpIsReadOnce) {
  hlo::build::GraphBuilder b("square");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {1024, 256}), "x");
  OpWork work = only_work_of(std::move(b).build(b.multiply(x, x)));
  EXPECT_EQ(work.read_bytes(), padded(hlo::ElementType::f32, {1024, 256}));
}

TEST(OpWork, CategoriesAreThoseOfXProf) {
  hlo::build::GraphBuilder b("categories");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {64, 64}), "x");
  hlo::InstructionId product = b.dot(x, x, {{}, {}, {1}, {0}});
  hlo::WindowDimension half{.size = 2, .stride = 2};
  hlo::InstructionId pooled = b.reduce_window_max(x, {half, half});
  hlo::InstructionId scattered = b.select_and_scatter(x, pooled, b.constant(hlo::ElementType::f32, 0), {half, half},
                                                      b.comparator(hlo::ComparisonDirection::ge, hlo::ElementType::f32),
                                                      b.combiner(hlo::Opcode::add, hlo::ElementType::f32));
  std::vector<std::pair<hlo::InstructionId, std::string>> expected{
      {product, "convolution"},
      {pooled, "reduce-window"},
      {scattered, "select-and-scatter"},
      {b.transpose(x, {1, 0}), "data formatting"},
      {b.copy(x), "data formatting"},
      {b.reduce_add(x, {1}), "reduce"},
      {b.all_reduce(x), "all-reduce"},
      {b.tanh(x), "non-fusion elementwise"},
      {b.concatenate({x, x}, 0), "concatenate"},
      {b.convert(x, hlo::ElementType::bf16), "non-fusion elementwise"},
  };
  std::vector<hlo::Instruction> instructions;
  for (const auto& [id, category] : expected) instructions.push_back(b[id]);
  hlo::Module module = std::move(b).build(product);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(category_of(module, instructions[i]), expected[i].second) << hlo::to_string(instructions[i].opcode);
  }
}

// Compares with the rows of a profile that names its module, DLRM's.
TEST(OpWork, CategoriesOfAProfiledModuleAreThoseOfItsProfile) {
  const std::filesystem::path shared = std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared";
  const std::filesystem::path text = shared / "hlo_corpus/tpu_v3_mlperf/hlo_after_optimizations_dlrm_32_tpuv3.txt";
  if (!std::filesystem::exists(text)) GTEST_SKIP() << "no ../shared/hlo_corpus";
  const hlo::text::ReadResult read = hlo::text::read("dlrm", hlo::text::text_of(text));
  ASSERT_TRUE(read.ok());
  const hlo::Module module = hlo::text::graph::to_graph(read.modules[0]);
  std::map<std::string, const hlo::Instruction*> instructions;
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) instructions[instruction.name] = &instruction;
  }
  const validation::profile::Profile profile =
      validation::profile::read_profile("dlrm.csv", hlo::text::text_of(shared / "measurements/op_profiles/dlrm.csv"));
  std::set<std::string> categories;
  for (const validation::profile::ProfileOp& op : profile.ops) {
    if (!op.hlo_text.starts_with('%')) continue;
    const std::string name = op.hlo_text.substr(1, op.hlo_text.find(' ') - 1);
    ASSERT_TRUE(instructions.contains(name)) << name;
    EXPECT_EQ(category_of(module, *instructions[name]), op.category) << name;
    categories.insert(op.category);
  }
  EXPECT_GE(categories.size(), 14U);
}

TEST(OpWork, FusionsThatAreNoLoopsAreNamedByWhatTheyHold) {
  const hlo::Module module = hlo::text::testing::graph_of(R"(HloModule fusions
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }
rows {
  x = f32[8,128] parameter(0)
  i = s32[4] parameter(1)
  ROOT r = f32[4,128] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
    slice_sizes={1,128}
}
updates {
  x = f32[8,128] parameter(0)
  i = s32[4] parameter(1)
  u = f32[4,128] parameter(2)
  ROOT r = f32[8,128] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
}
nested {
  x = f32[8,128] parameter(0)
  i = s32[4] parameter(1)
  u = f32[4,128] parameter(2)
  ROOT r = f32[8,128] fusion(x, i, u), kind=kCustom, calls=updates
}
pooled {
  x = f32[8,128] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[4,128] reduce-window(x, z), window={size=2x1 stride=2x1}, to_apply=add
}
ENTRY main {
  x = f32[8,128] parameter(0)
  i = s32[4] parameter(1)
  u = f32[4,128] parameter(2)
  a = f32[4,128] fusion(x, i), kind=kCustom, calls=rows
  b = f32[8,128] fusion(x, i, u), kind=kCustom, calls=updates
  c = f32[8,128] fusion(x, i, u), kind=kCustom, calls=nested
  d = f32[4,128] fusion(x), kind=kOutput, calls=pooled
  e = ((f32[8,128]), f32[4,128], u32[]) fusion-start(x), kind=kOutput, calls=pooled
  f = f32[4,128] fusion-done(e)
  ROOT t = (f32[4,128], f32[8,128], f32[8,128], f32[4,128]) tuple(a, b, c, d)
}
)");
  const hlo::Computation& entry = module.entry_computation();
  const auto category = [&](const char* name) {
    return category_of(module, *std::ranges::find(entry.instructions, name, &hlo::Instruction::name));
  };
  EXPECT_EQ(category("a"), "gather fusion");
  EXPECT_EQ(category("b"), "scatter fusion");
  EXPECT_EQ(category("c"), "custom fusion");
  EXPECT_EQ(category("d"), "output fusion");
  EXPECT_EQ(category("f"), "async-done");
}

TEST(OpWork, AFusionWithAMatmulIsAConvolutionFusionAndAnyOtherALoopFusion) {
  hlo::Module fused = fuse::fuse(testing::scaled_relu({64, 128}));
  const hlo::Computation& loop = fused.entry_computation();
  EXPECT_EQ(category_of(fused, loop[loop.root]), "loop fusion");
  hlo::build::GraphBuilder b("matmul");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {64, 64}), "x");
  hlo::Module matmul = fuse::fuse(std::move(b).build(b.negate(b.dot(x, x, {{}, {}, {1}, {0}}))));
  const hlo::Computation& entry = matmul.entry_computation();
  EXPECT_EQ(category_of(matmul, entry[entry.root]), "convolution fusion");
}

TEST(OpWork, WhatOnlyRenamesOrCommunicatesIsNoCoreOp) {
  for (hlo::Opcode opcode :
       {hlo::Opcode::parameter, hlo::Opcode::constant, hlo::Opcode::tuple, hlo::Opcode::get_tuple_element,
        hlo::Opcode::reshape, hlo::Opcode::all_reduce, hlo::Opcode::infeed, hlo::Opcode::outfeed}) {
    hlo::Instruction instruction;
    instruction.opcode = opcode;
    EXPECT_FALSE(is_core_op(instruction)) << hlo::to_string(opcode);
  }
  for (hlo::Opcode opcode :
       {hlo::Opcode::fusion, hlo::Opcode::copy, hlo::Opcode::dot, hlo::Opcode::select_and_scatter, hlo::Opcode::add}) {
    hlo::Instruction instruction;
    instruction.opcode = opcode;
    EXPECT_TRUE(is_core_op(instruction)) << hlo::to_string(opcode);
  }
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
