// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/combiner.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace podsim::sw {

namespace {

double highest_value(ElementType type) {
  if (type == ElementType::pred) return 1;
  if (is_floating_point(type)) return std::numeric_limits<double>::infinity();
  const int bits = element_types()[std::size_t(type)].bits - (is_signed_integer(type) ? 1 : 0);
  // Of 64-bit types the double is one more than the largest value, which is what it becomes.
  return std::ldexp(1.0, bits) - (bits < 53 ? 1 : 0);
}

}  // namespace

std::optional<Opcode> simple_combiner(const Computation& computation) {
  if (computation.parameters.size() != 2) return std::nullopt;
  const Instruction& root = computation[computation.root];
  const InstructionId x = computation.parameters[0], y = computation.parameters[1];
  const std::vector<InstructionId> there{x, y}, back{y, x};
  if (root.operands != there && root.operands != back) return std::nullopt;
  switch (root.opcode) {
    case Opcode::add:
    case Opcode::multiply:
    case Opcode::minimum:
    case Opcode::maximum:
    case Opcode::logical_and:
    case Opcode::logical_or:
      return root.opcode;
    default:
      return std::nullopt;
  }
}

InstructionId identity_of(GraphBuilder& builder, Opcode combiner, ElementType type) {
  switch (combiner) {
    case Opcode::add:
    case Opcode::logical_or:
      return builder.constant(type, 0);
    case Opcode::multiply:
      return builder.constant(type, 1);
    case Opcode::maximum:
      return builder.constant(type, lowest_value(type));
    case Opcode::minimum:
      return builder.constant(type, highest_value(type));
    case Opcode::logical_and:
      // All bits of an integer.
      return builder.constant(type, is_signed_integer(type) ? -1 : highest_value(type));
    default:
      throw std::logic_error("the combiner has no identity");
  }
}

}  // namespace podsim::sw
