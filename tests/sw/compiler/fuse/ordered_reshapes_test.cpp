// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/ordered_reshapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
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

}  // namespace
}  // namespace podsim::sw::compiler::fuse
