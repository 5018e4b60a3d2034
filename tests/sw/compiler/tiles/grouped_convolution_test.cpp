// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/grouped_convolution.h"

#include <gtest/gtest.h>

#include "hlo/build/graph_builder.h"
#include "sw/compiler/tiles/matmul_problem.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler::tiles {
namespace {

struct Grouped {
  hlo::Instruction convolution;
  hlo::Shape input, kernel;
};

/// A 28 x 28 image of a batch of 128, whose lanes are the batch, with `size` x `size` windows.
Grouped grouped(hlo::ElementType type, std::int64_t channels, std::int64_t groups, std::int64_t size) {
  hlo::build::GraphBuilder b("grouped");
  hlo::Instruction convolution;
  convolution.opcode = hlo::Opcode::convolution;
  convolution.shape.element_type = type;
  const hlo::WindowDimension w{.size = size, .padding_low = size / 2, .padding_high = size / 2};
  convolution.window = {w, w};
  convolution.convolution = hlo::build::convolution_dimensions("b01f_01io->b01f");
  convolution.feature_groups = groups;
  convolution.operands = {b.parameter(hlo::make_shape(type, {128, 28, 28, channels}), "x"),
                          b.parameter(hlo::make_shape(type, {size, size, channels / groups, channels}), "k")};
  Grouped result{b[b.add(convolution)], b.shape(convolution.operands[0]), b.shape(convolution.operands[1])};
  for (hlo::Shape* shape : {&result.convolution.shape, &result.input}) shape->minor_to_major = {0, 3, 2, 1};
  return result;
}

hw::VectorWork work_of(const Grouped& g, const sw::TargetMachine& machine = sw::the_tpu_v3()) {
  return vector_convolution_work(g.convolution, g.input, g.kernel, machine.vector);
}

// 128 x 28 x 28 x 96 outputs fill 9408 registers without padding. In f32 a tap is a load, a product and a sum; bf16 is
// loaded two registers at a time and widened.
TEST(GroupedConvolution, ADepthwiseTapIsALoadAProductAndASumForEveryRegister) {
  EXPECT_EQ(work_of(grouped(hlo::ElementType::f32, 96, 96, 3)),
            (hw::VectorWork{.loads = 9408 * 9, .stores = 0, .alu_ops = 9408 * 9 * 2, .transcendentals = 0}));
  EXPECT_EQ(work_of(grouped(hlo::ElementType::bf16, 96, 96, 5)),
            (hw::VectorWork{.loads = 9408 * 25 / 2, .stores = 0, .alu_ops = 9408 * 25 * 3, .transcendentals = 0}));
}

// Two bf16 in a lane: half the registers, nothing to widen, and a load for each.
TEST(GroupedConvolution, LanesThatComputeInBf16NeedNoWidening) {
  const sw::TargetMachine machine = sw::tpu_v3_with({"vector.types=f32 s32 bf16"});
  EXPECT_EQ(work_of(grouped(hlo::ElementType::bf16, 96, 96, 5), machine),
            (hw::VectorWork{.loads = 9408 / 2 * 25, .stores = 0, .alu_ops = 9408 / 2 * 25 * 2, .transcendentals = 0}));
}

TEST(GroupedConvolution, EveryChannelOfAGroupIsATapMore) {
  const hw::VectorWork one = work_of(grouped(hlo::ElementType::f32, 96, 96, 3));
  EXPECT_EQ(work_of(grouped(hlo::ElementType::f32, 96, 24, 3)).alu_ops, 4 * one.alu_ops);
}

TEST(GroupedConvolution, NarrowGroupsRunOnTheVectorUnitAndWideOnesOnTheMatrixUnits) {
  const auto on_vector_unit = [](const Grouped& g) {
    return runs_on_vector_unit(g.convolution, g.input, g.kernel, sw::tpu_v3());
  };
  EXPECT_TRUE(on_vector_unit(grouped(hlo::ElementType::bf16, 96, 96, 3)));
  EXPECT_TRUE(on_vector_unit(grouped(hlo::ElementType::bf16, 1152, 1152, 5)));
  EXPECT_FALSE(on_vector_unit(grouped(hlo::ElementType::bf16, 256, 4, 3)));
  EXPECT_FALSE(on_vector_unit(grouped(hlo::ElementType::bf16, 256, 1, 3))) << "no groups";
}

// The matrix of all groups is block-diagonal. With 64 channels a group, the 128 outputs of a weight tile see 128
// inputs.
TEST(GroupedConvolution, WeightTilesOffTheDiagonalAreLeftOut) {
  Grouped g = grouped(hlo::ElementType::bf16, 512, 8, 3);
  g.convolution.shape.minor_to_major = g.input.minor_to_major = {3, 0, 2, 1};
  const MatmulProblem features = matmul_problem(g.convolution, g.input, g.kernel, sw::the_tpu_v3().mxu);
  EXPECT_EQ(features.weight_tiles(128), 9 * 4) << "a tile for each tap and 128 of 512 outputs";
  const Grouped pixels = grouped(hlo::ElementType::bf16, 512, 8, 3);
  const MatmulProblem batch = matmul_problem(pixels.convolution, pixels.input, pixels.kernel, sw::the_tpu_v3().mxu);
  Grouped all = pixels;
  all.convolution.feature_groups = 1;
  all.kernel.dimensions[2] = 512;
  EXPECT_EQ(batch.rows * 4, matmul_problem(all.convolution, all.input, all.kernel, sw::the_tpu_v3().mxu).rows)
      << "128 inputs reach 128 of 512 outputs";
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
