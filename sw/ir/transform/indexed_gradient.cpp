// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/transform/indexed_gradient.h"

#include <algorithm>

namespace podsim::sw::ir::transform {

namespace {

std::vector<InstructionId> operands_from(const Instruction& instruction, std::size_t first) {
  return {instruction.operands.begin() + std::ptrdiff_t(first), instruction.operands.end()};
}

}  // namespace

InstructionId gather_gradient(build::GraphBuilder& b, const Instruction& forward, InstructionId g) {
  const InstructionId zeros = b.full_like(forward.operands[0], 0);
  return b.scatter(zeros, forward.operands[1], g, forward.gather, b.combiner(Opcode::add, b.type(g)));
}

InstructionId dynamic_slice_gradient(build::GraphBuilder& b, const Instruction& forward, InstructionId g) {
  return b.dynamic_update_slice(b.full_like(forward.operands[0], 0), g, operands_from(forward, 1));
}

InstructionId scatter_updates_gradient(build::GraphBuilder& b, const Instruction& forward, InstructionId g) {
  const GatherDimensions& roles = forward.gather;
  const std::vector<std::int64_t>& updates = b.shape(forward.operands[2]).dimensions;
  std::vector<std::int64_t> sizes;
  std::size_t window = 0;
  for (int i = 0; i < b.shape(g).rank(); ++i) {
    const bool is_dropped =
        std::ranges::count(roles.collapsed, i) > 0 || std::ranges::count(roles.operand_batching, i) > 0;
    sizes.push_back(is_dropped ? 1 : updates[roles.offset[window++]]);
  }
  return b.gather(g, forward.operands[1], roles, sizes);
}

InstructionId dynamic_update_slice_gradient(build::GraphBuilder& b, const Instruction& forward, int operand,
                                            InstructionId g) {
  const InstructionId update = forward.operands[1];
  const std::vector<InstructionId> starts = operands_from(forward, 2);
  if (operand == 0) return b.dynamic_update_slice(g, b.full_like(update, 0), starts);
  return b.dynamic_slice(g, starts, b.shape(update).dimensions);
}

}  // namespace podsim::sw::ir::transform
