// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/op_work.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "sw/compiler/tiles/vector_cost.h"
#include "sw/hlo/graph/to_graph.h"
#include "sw/hlo/reader.h"
#include "sw/ir/transform/flops.h"
#include "sw/profile/profile.h"
#include "tests/sw/compiler/core_ops.h"
#include "tests/sw/compiler/random_module.h"
#include "tests/sw/hlo/corpus.h"
#include "tests/sw/hlo/graph_of.h"

namespace podsim::sw::compiler::tiles {
namespace {

using base::Bytes;

OpWork only_work_of(ir::Module module) {
  std::vector<OpWork> works = testing::works_of(std::move(module), hw::tpu_v3());
  EXPECT_EQ(works.size(), 1U);
  return works.front();
}

Bytes padded(ir::ElementType type, std::vector<std::int64_t> sizes) {
  return ir::padded_bytes(ir::make_shape(type, std::move(sizes)));
}

bool reads_through_slices(const ir::Module& module, const ir::Instruction& instruction) {
  if (instruction.opcode == ir::Opcode::slice) return true;
  if (instruction.opcode != ir::Opcode::fusion) return false;
  return std::ranges::any_of(module.computations[instruction.called[0]].instructions,
                             [](const ir::Instruction& i) { return i.opcode == ir::Opcode::slice; });
}

// The bytes that XLA's cost analysis counts: operands, each once, and results.
RC_GTEST_PROP(OpWork, AnyOpReadsItsOperandsOnceAndWritesItsResults, ()) {
  const hw::Machine machine = hw::tpu_v3();
  ir::Module module = testing::RandomModule::make();
  fuse::assign_layouts(module.computations[module.entry]);
  ir::Module fused = fuse::fuse(module);
  const ir::Computation& entry = fused.entry_computation();
  for (ir::InstructionId id = 0; id < ir::InstructionId(entry.instructions.size()); ++id) {
    if (!is_core_op(entry[id])) continue;
    OpWork work = op_work(fused, entry, id, machine);
    RC_ASSERT(work.written_bytes == ir::padded_bytes(entry[id].shape));
    Bytes expected = ir::transform::cost(fused, entry, id).bytes;
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
    const ir::Module module = sw::testing::graph_of(
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
  ir::build::GraphBuilder b("slice");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, {1024, 1024}), "x");
  ir::InstructionId part = b.slice(x, {{0, 256}, {0, 1024}});
  OpWork work = only_work_of(std::move(b).build(b.negate(part)));
  EXPECT_EQ(work.read_bytes(), padded(ir::ElementType::f32, {256, 1024}));
}

TEST(OpWork, SlicesThatTogetherCoverMoreThanTheArrayReadItOnce) {
  ir::build::GraphBuilder b("slices");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, {1024, 1024}), "x");
  ir::InstructionId low = b.slice(x, {{0, 768}, {0, 1024}});
  ir::InstructionId high = b.slice(x, {{256, 1024}, {0, 1024}});
  OpWork work = only_work_of(std::move(b).build(b.add(low, high)));
  EXPECT_EQ(work.read_bytes(), padded(ir::ElementType::f32, {1024, 1024}));
}

// Silicon runs the strided 1x1 convolutions of ResNet-50 faster than their whole input could be read.
TEST(OpWork, AStridedPointwiseConvolutionReadsHalfOfItsInput) {
  ir::build::GraphBuilder b("strided");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::bf16, {128, 56, 56, 256}), "x");
  ir::InstructionId k = b.parameter(ir::make_shape(ir::ElementType::bf16, {1, 1, 256, 512}), "k");
  ir::WindowDimension w{.stride = 2};
  OpWork work = only_work_of(
      std::move(b).build(b.convolution(x, k, {w, w}, ir::build::convolution_dimensions("b01f_01io->b01f"))));
  EXPECT_EQ(work.row_bytes * 2, padded(ir::ElementType::bf16, {56, 56, 128, 256}));
  EXPECT_EQ(work.lane_bytes, padded(ir::ElementType::bf16, {256, 512}));
}

TEST(OpWork, TrafficGoesWithTheOperandItFeeds) {
  ir::build::GraphBuilder b("sides");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::bf16, {2048, 512}), "x");
  ir::InstructionId y = b.parameter(ir::make_shape(ir::ElementType::bf16, {512, 256}), "y");
  ir::InstructionId bias = b.parameter(ir::make_shape(ir::ElementType::bf16, {2048, 256}), "bias");
  ir::InstructionId scale = b.parameter(ir::make_shape(ir::ElementType::bf16, {256}), "scale");
  ir::InstructionId z = b.add(b.dot(b.multiply(x, x), b.negate(y), {{}, {}, {1}, {0}}), bias);
  OpWork work = only_work_of(std::move(b).build(b.multiply(z, b.broadcast(scale, {2048, 256}, {1}))));
  EXPECT_EQ(work.row_bytes, padded(ir::ElementType::bf16, {2048, 512}));
  EXPECT_EQ(work.lane_bytes, padded(ir::ElementType::bf16, {512, 256}));
  EXPECT_EQ(work.output_side_bytes, padded(ir::ElementType::bf16, {2048, 256}));
  EXPECT_EQ(work.small_bytes, padded(ir::ElementType::bf16, {256})) << "a vector is read once";
  EXPECT_EQ(work.written_bytes, padded(ir::ElementType::bf16, {2048, 256}));
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
  ir::build::GraphBuilder b("shared");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, {1024, 512}), "x");
  ir::InstructionId k = b.parameter(ir::make_shape(ir::ElementType::f32, {512, 512}), "k");
  ir::InstructionId twice = b.add(x, x);
  OpWork work = only_work_of(std::move(b).build(b.add(b.dot(twice, k, {{}, {}, {1}, {0}}), twice)));
  EXPECT_EQ(work.row_prologue.alu_ops + work.epilogue.alu_ops, 2 * 1024 * 512 / 1024) << "each sum once";
  EXPECT_EQ(work.read_bytes(), padded(ir::ElementType::f32, {1024, 512}) + padded(ir::ElementType::f32, {512, 512}));
}

TEST(OpWork, ConversionsThatOnlyFeedTheMatrixUnitAreFree) {
  OpWork work = only_work_of(testing::convolution_with_statistics({128, 14, 256, 256, 3}));
  EXPECT_EQ(work.lane_prologue.alu_ops, 0) << "the MXU rounds f32 weights on entry";
  EXPECT_EQ(work.lane_bytes, padded(ir::ElementType::f32, {9, 256, 256}));
}

TEST(OpWork, StatisticsOfAConvolutionAreEpilogueWork) {
  OpWork work = only_work_of(testing::convolution_with_statistics({128, 14, 256, 256, 3}));
  // Widen, square, add the value, add the square: four operations per element.
  EXPECT_EQ(work.epilogue.alu_ops, 4 * 128 * 14 * 14 * 256 / 1024);
  EXPECT_EQ(work.written_bytes,
            padded(ir::ElementType::bf16, {14, 14, 128, 256}) + 2 * padded(ir::ElementType::f32, {256}));
}

TEST(OpWork, AKernelGradientTransposesTheImageWhoseChannelsAreInTheLanes) {
  const testing::ConvolutionCase no_lane_batch{128, 14, 256, 256, 3};
  std::vector<OpWork> works = testing::works_of(testing::kernel_gradient(no_lane_batch), hw::tpu_v3());
  ASSERT_EQ(works.size(), 2U);
  EXPECT_EQ(works[0].cross_lane_ops, 0) << "forward, the channels are contracted and in the lanes";
  // Every 4 KiB register of the streamed image once.
  EXPECT_EQ(works[1].cross_lane_ops * 4096, padded(ir::ElementType::bf16, {14, 14, 128, 256}).value());
}

TEST(OpWork, BareOpsAreWorkedOutAsFusionsOfOne) {
  ir::build::GraphBuilder b("bare");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, {1024, 256}), "x");
  OpWork work = only_work_of(std::move(b).build(b.transpose(x, {1, 0})));
  EXPECT_FALSE(work.matmul.has_value());
  EXPECT_EQ(work.cross_lane_ops, 1024 * 256 / 1024);
  EXPECT_EQ(work.read_bytes(), padded(ir::ElementType::f32, {1024, 256}));
}

// A transposition whose result has its dimensions in the order of the operand's memory moves nothing.
TEST(OpWork, ATranspositionThatKeepsEveryPlaceIsNoOp) {
  ir::build::GraphBuilder b("kept");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::bf16, {128, 8, 8, 96}), "x");
  ir::Module module = std::move(b).build(b.transpose(x, {1, 2, 3, 0}));
  ir::Computation& entry = module.computations[module.entry];
  EXPECT_TRUE(is_core_op(entry, entry.root));
  entry[entry.parameters.front()].shape.minor_to_major = {0, 3, 2, 1};
  EXPECT_FALSE(is_core_op(entry, entry.root)) << "rows of images, then columns, channels, images in the lanes";
  entry[entry.parameters.front()].shape.minor_to_major = {0, 3, 1, 2};
  EXPECT_TRUE(is_core_op(entry, entry.root)) << "columns before rows";
}

TEST(OpWork, AnOperandReadTwiceByABareOpIsReadOnce) {
  ir::build::GraphBuilder b("square");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, {1024, 256}), "x");
  OpWork work = only_work_of(std::move(b).build(b.multiply(x, x)));
  EXPECT_EQ(work.read_bytes(), padded(ir::ElementType::f32, {1024, 256}));
}

TEST(OpWork, CategoriesAreThoseOfXProf) {
  ir::build::GraphBuilder b("categories");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, {64, 64}), "x");
  ir::InstructionId product = b.dot(x, x, {{}, {}, {1}, {0}});
  ir::WindowDimension half{.size = 2, .stride = 2};
  ir::InstructionId pooled = b.reduce_window_max(x, {half, half});
  ir::InstructionId scattered = b.select_and_scatter(x, pooled, b.constant(ir::ElementType::f32, 0), {half, half},
                                                     b.comparator(ir::ComparisonDirection::ge, ir::ElementType::f32),
                                                     b.combiner(ir::Opcode::add, ir::ElementType::f32));
  std::vector<std::pair<ir::InstructionId, std::string>> expected{
      {product, "convolution"},
      {pooled, "reduce-window"},
      {scattered, "select-and-scatter"},
      {b.transpose(x, {1, 0}), "data formatting"},
      {b.copy(x), "data formatting"},
      {b.reduce_add(x, {1}), "reduce"},
      {b.all_reduce(x), "all-reduce"},
      {b.tanh(x), "non-fusion elementwise"},
      {b.concatenate({x, x}, 0), "concatenate"},
      {b.convert(x, ir::ElementType::bf16), "non-fusion elementwise"},
  };
  std::vector<ir::Instruction> instructions;
  for (const auto& [id, category] : expected) instructions.push_back(b[id]);
  ir::Module module = std::move(b).build(product);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(category_of(module, instructions[i]), expected[i].second) << ir::to_string(instructions[i].opcode);
  }
}

// Compares with the rows of a profile that names its module, DLRM's.
TEST(OpWork, CategoriesOfAProfiledModuleAreThoseOfItsProfile) {
  const std::filesystem::path shared = std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared";
  const std::filesystem::path text = shared / "hlo_corpus/tpu_v3_mlperf/hlo_after_optimizations_dlrm_32_tpuv3.txt";
  if (!std::filesystem::exists(text)) GTEST_SKIP() << "no ../shared/hlo_corpus";
  const hlo::ReadResult read = hlo::read("dlrm", hlo::text_of(text));
  ASSERT_TRUE(read.ok());
  const ir::Module module = hlo::graph::to_graph(read.modules[0]);
  std::map<std::string, const ir::Instruction*> instructions;
  for (const ir::Computation& computation : module.computations) {
    for (const ir::Instruction& instruction : computation.instructions) instructions[instruction.name] = &instruction;
  }
  const profile::Profile profile =
      profile::read_profile("dlrm.csv", hlo::text_of(shared / "measurements/op_profiles/dlrm.csv"));
  std::set<std::string> categories;
  for (const profile::ProfileOp& op : profile.ops) {
    if (!op.hlo_text.starts_with('%')) continue;
    const std::string name = op.hlo_text.substr(1, op.hlo_text.find(' ') - 1);
    ASSERT_TRUE(instructions.contains(name)) << name;
    EXPECT_EQ(category_of(module, *instructions[name]), op.category) << name;
    categories.insert(op.category);
  }
  EXPECT_GE(categories.size(), 14U);
}

TEST(OpWork, FusionsThatAreNoLoopsAreNamedByWhatTheyHold) {
  const ir::Module module = sw::testing::graph_of(R"(HloModule fusions
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
  const ir::Computation& entry = module.entry_computation();
  const auto category = [&](const char* name) {
    return category_of(module, *std::ranges::find(entry.instructions, name, &ir::Instruction::name));
  };
  EXPECT_EQ(category("a"), "gather fusion");
  EXPECT_EQ(category("b"), "scatter fusion");
  EXPECT_EQ(category("c"), "custom fusion");
  EXPECT_EQ(category("d"), "output fusion");
  EXPECT_EQ(category("f"), "async-done");
}

TEST(OpWork, AFusionWithAMatmulIsAConvolutionFusionAndAnyOtherALoopFusion) {
  ir::Module fused = fuse::fuse(testing::scaled_relu({64, 128}));
  const ir::Computation& loop = fused.entry_computation();
  EXPECT_EQ(category_of(fused, loop[loop.root]), "loop fusion");
  ir::build::GraphBuilder b("matmul");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, {64, 64}), "x");
  ir::Module matmul = fuse::fuse(std::move(b).build(b.negate(b.dot(x, x, {{}, {}, {1}, {0}}))));
  const ir::Computation& entry = matmul.entry_computation();
  EXPECT_EQ(category_of(matmul, entry[entry.root]), "convolution fusion");
}

TEST(OpWork, WhatOnlyRenamesOrCommunicatesIsNoCoreOp) {
  for (ir::Opcode opcode :
       {ir::Opcode::parameter, ir::Opcode::constant, ir::Opcode::tuple, ir::Opcode::get_tuple_element,
        ir::Opcode::reshape, ir::Opcode::all_reduce, ir::Opcode::infeed, ir::Opcode::outfeed}) {
    ir::Instruction instruction;
    instruction.opcode = opcode;
    EXPECT_FALSE(is_core_op(instruction)) << ir::to_string(opcode);
  }
  for (ir::Opcode opcode :
       {ir::Opcode::fusion, ir::Opcode::copy, ir::Opcode::dot, ir::Opcode::select_and_scatter, ir::Opcode::add}) {
    ir::Instruction instruction;
    instruction.opcode = opcode;
    EXPECT_TRUE(is_core_op(instruction)) << ir::to_string(opcode);
  }
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
