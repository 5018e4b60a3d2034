// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/propagate/combiner.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace podsim::sw::spmd::propagate {

namespace {

double highest_value(ir::ElementType type) {
  if (type == ir::ElementType::pred) return 1;
  if (ir::is_floating_point(type)) return std::numeric_limits<double>::infinity();
  const int bits = ir::element_types()[std::size_t(type)].bits - (ir::is_signed_integer(type) ? 1 : 0);
  // For 64-bit types the double is one more than the largest value, and is converted to the largest value.
  return std::ldexp(1.0, bits) - (bits < 53 ? 1 : 0);
}

}  // namespace

std::optional<ir::Opcode> simple_combiner(const ir::Computation& computation) {
  if (computation.parameters.size() != 2) return std::nullopt;
  const ir::Instruction& root = computation[computation.root];
  const ir::InstructionId x = computation.parameters[0], y = computation.parameters[1];
  const std::vector<ir::InstructionId> there{x, y}, back{y, x};
  if (root.operands != there && root.operands != back) return std::nullopt;
  switch (root.opcode) {
    case ir::Opcode::add:
    case ir::Opcode::multiply:
    case ir::Opcode::minimum:
    case ir::Opcode::maximum:
    case ir::Opcode::logical_and:
    case ir::Opcode::logical_or:
      return root.opcode;
    default:
      return std::nullopt;
  }
}

ir::InstructionId identity_of(ir::build::GraphBuilder& builder, ir::Opcode combiner, ir::ElementType type) {
  switch (combiner) {
    case ir::Opcode::add:
    case ir::Opcode::logical_or:
      return builder.constant(type, 0);
    case ir::Opcode::multiply:
      return builder.constant(type, 1);
    case ir::Opcode::maximum:
      return builder.constant(type, ir::build::lowest_value(type));
    case ir::Opcode::minimum:
      return builder.constant(type, highest_value(type));
    case ir::Opcode::logical_and:
      // All bits of an integer are set.
      return builder.constant(type, ir::is_signed_integer(type) ? -1 : highest_value(type));
    default:
      throw std::logic_error("the combiner has no identity");
  }
}

}  // namespace podsim::sw::spmd::propagate
