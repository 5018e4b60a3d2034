// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/indexed_gradient.h"

#include <cstddef>
#include <vector>

namespace podsim::hlo::transform::gradient {

namespace {

std::vector<InstructionId> operands_from(const Instruction& instruction, std::size_t first) {
  return {instruction.operands.begin() + std::ptrdiff_t(first), instruction.operands.end()};
}

}  // namespace

namespace of {

void gather(Backward& s) {
  const InstructionId zeros = s.b.full_like(s.x(0), 0);
  const ComputationId add = s.b.combiner(Opcode::add, s.b.type(s.g()));
  s.give(0, s.b.scatter(zeros, s.x(1), s.g(), s.forward.gather, add));
}

void dynamic_slice(Backward& s) {
  s.give(0, s.b.dynamic_update_slice(s.b.full_like(s.x(0), 0), s.g(), operands_from(s.forward, 1)));
}

void dynamic_update_slice(Backward& s) {
  const std::vector<InstructionId> starts = operands_from(s.forward, 2);
  if (s.wants(0)) s.give(0, s.b.dynamic_update_slice(s.g(), s.b.full_like(s.x(1), 0), starts));
  if (s.wants(1)) s.give(1, s.b.dynamic_slice(s.g(), starts, s.b.shape(s.x(1)).dimensions));
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
