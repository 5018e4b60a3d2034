// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/layout_cost.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler::layout {
namespace {

/// Cycles of a reshape of f32[16,384,1024] to f32[16,384,16,64] between two layouts.
double cycles_of_reshape(std::vector<int> before, std::vector<int> after) {
  hlo::build::GraphBuilder b("one");
  hlo::Shape operand = hlo::make_shape(hlo::ElementType::f32, {16, 384, 1024});
  operand.minor_to_major = std::move(before);
  hlo::Module module = std::move(b).build(b.reshape(b.parameter(operand, "x"), {16, 384, 16, 64}));
  hlo::Computation& entry = module.computations[std::size_t(module.entry)];
  entry.instructions[std::size_t(entry.root)].shape.minor_to_major = std::move(after);
  return unit_cycles(entry, entry[entry.root], sw::tpu_v3());
}

// 16 x 3 x 8 blocks of 128 x 128 words, each of 16 registers.
TEST(LayoutCost, AReshapeWhoseLanesBecomeAnotherDimensionTransposesBlocks) {
  const auto interval = double(sw::tpu_v3().cross_lane.interval.value());
  EXPECT_EQ(cycles_of_reshape({2, 1, 0}, {1, 3, 2, 0}), 16 * 3 * 8 * 16 * interval);
  EXPECT_EQ(cycles_of_reshape({1, 2, 0}, {3, 1, 2, 0}), 16 * 3 * 8 * 16 * 2 * interval)
      << "64 of 128 lanes are padding";
}

TEST(LayoutCost, AReshapeThatRenamesTakesNoTime) {
  EXPECT_EQ(cycles_of_reshape({1, 2, 0}, {1, 3, 2, 0}), 0);
  EXPECT_EQ(cycles_of_reshape({1, 2, 0}, {1, 3, 0, 2}), 0) << "whole rows of tiles move by DMA";
}

}  // namespace
}  // namespace podsim::sw::compiler::layout
