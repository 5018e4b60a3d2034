// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/ordered_reshapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sw/ir/build/graph_builder.h"
#include "sw/ir/build/verify.h"
#include "sw/ir/eval/evaluator.h"
#include "tests/sw/ir/literals.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// The order, minor to major, in which the reshape of an array with this order reads it after the pass.
std::vector<int> order_read(std::vector<int> order) {
  ir::build::GraphBuilder b("reshaped");
  const ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, {2, 4, 6, 8}), "x");
  ir::Module module = std::move(b).build(b.reshape(b.tanh(x), {2, 24, 8}));
  ir::Computation& entry = module.computations[std::size_t(module.entry)];
  for (ir::Instruction& instruction : entry.instructions) {
    if (instruction.shape.rank() == 4) instruction.shape.minor_to_major = order;
  }
  const std::vector<ir::Literal> arguments{ir::testing::random_literal(entry[entry.parameters[0]].shape, 1)};
  const ir::Literal expected = ir::eval::evaluate(module, arguments);
  order_reshapes(entry);
  ir::build::verify(module);
  EXPECT_TRUE(ir::same_values(ir::eval::evaluate(module, arguments), expected));
  const ir::Instruction& read = entry[entry[entry.root].operands[0]];
  EXPECT_EQ(read.opcode, read.shape.minor_to_major == order ? ir::Opcode::tanh : ir::Opcode::copy);
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
