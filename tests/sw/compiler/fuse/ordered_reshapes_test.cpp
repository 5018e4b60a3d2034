// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/ordered_reshapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/renaming.h"
#include "tests/hlo/literals.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// The order, minor to major, in which the reshape of an array with this order reads it after the pass.
std::vector<int> order_read(std::vector<int> order) {
  hlo::build::GraphBuilder b("reshaped");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {2, 4, 6, 8}), "x");
  hlo::Module module = std::move(b).build(b.reshape(b.tanh(x), {2, 24, 8}));
  hlo::Computation& entry = module.computations[std::size_t(module.entry)];
  for (hlo::Instruction& instruction : entry.instructions) {
    if (instruction.shape.rank() == 4) instruction.shape.minor_to_major = order;
  }
  const std::vector<hlo::Literal> arguments{hlo::testing::random_literal(entry[entry.parameters[0]].shape, 1)};
  const hlo::Literal expected = hlo::eval::evaluate(module, arguments);
  order_reshapes(entry);
  hlo::build::verify(module);
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(module, arguments), expected));
  const hlo::Instruction& read = entry[entry[entry.root].operands[0]];
  EXPECT_EQ(read.opcode, read.shape.minor_to_major == order ? hlo::Opcode::tanh : hlo::Opcode::copy);
  return read.shape.minor_to_major;
}

// The second and the third dimension of [2,4,6,8] become one, so that they have to follow each other in memory. The
// result [2,24,8] is in the order of the text.
TEST(OrderedReshapes, DimensionsThatBecomeOneAreBroughtTogetherFirst) {
  EXPECT_EQ(order_read({3, 2, 1, 0}), (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(order_read({3, 1, 2, 0}), (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(order_read({2, 1, 0, 3}), (std::vector<int>{3, 2, 1, 0}));
}

/// Copies that bring a reshape between arrays of these sizes and orders in order; the values stay, and the reshape that
/// is left keeps the order of elements.
std::ptrdiff_t copies(const std::vector<std::int64_t>& from, const std::vector<int>& from_order,
                      const std::vector<std::int64_t>& to, const std::vector<int>& to_order) {
  hlo::build::GraphBuilder b("reshaped");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, from), "x");
  hlo::Module module = std::move(b).build(b.tanh(b.reshape(b.tanh(x), to)));
  hlo::Computation& entry = module.computations[std::size_t(module.entry)];
  for (hlo::Instruction& instruction : entry.instructions) {
    instruction.shape.minor_to_major = instruction.shape.dimensions == from ? from_order : to_order;
  }
  const std::vector<hlo::Literal> arguments{hlo::testing::random_literal(entry[entry.parameters[0]].shape, 1)};
  const hlo::Literal expected = hlo::eval::evaluate(module, arguments);
  order_reshapes(entry);
  hlo::build::verify(module);
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(module, arguments), expected));
  EXPECT_EQ(entry[entry[entry.root].operands[0]].shape.minor_to_major, to_order);
  const auto reshape = std::ranges::find(entry.instructions, hlo::Opcode::reshape, &hlo::Instruction::opcode);
  EXPECT_TRUE(hlo::keeps_order(entry[reshape->operands[0]].shape, reshape->shape));
  return std::ranges::count(entry.instructions, hlo::Opcode::copy, &hlo::Instruction::opcode);
}

// As f32[16,38,38,324] becomes f32[16,4,38,38,81] in SSD's profile: a reshape with the anchors next to the classes, and
// a copy.
TEST(OrderedReshapes, DimensionsThatAreSplitAreBroughtApartAfterwards) {
  EXPECT_EQ(copies({2, 3, 5, 24}, {3, 0, 2, 1}, {2, 3, 5, 4, 6}, {4, 2, 1, 3, 0}), 1);
}

TEST(OrderedReshapes, DimensionsThatAreBothSplitAndMergedAreCopiedTwice) {
  EXPECT_EQ(copies({2, 3, 24}, {0, 2, 1}, {6, 4, 6}, {1, 0, 2}), 2);
}

TEST(OrderedReshapes, DimensionsInOrderAreNotCopied) {
  EXPECT_EQ(copies({2, 3, 5, 24}, {3, 0, 2, 1}, {2, 3, 5, 4, 6}, {4, 3, 0, 2, 1}), 0);
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
