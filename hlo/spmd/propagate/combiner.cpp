// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/combiner.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace podsim::hlo::spmd::propagate {

namespace {

double highest_value(hlo::ElementType type) {
  if (type == hlo::ElementType::pred) return 1;
  if (hlo::is_floating_point(type)) return std::numeric_limits<double>::infinity();
  const int bits = hlo::element_types()[std::size_t(type)].bits - (hlo::is_signed_integer(type) ? 1 : 0);
  // For 64-bit types the double is one more than the largest value, and is converted to the largest value.
  return std::ldexp(1.0, bits) - (bits < 53 ? 1 : 0);
}

}  // namespace

std::optional<hlo::Opcode> simple_combiner(const hlo::Computation& computation) {
  if (computation.parameters.size() != 2) return std::nullopt;
  const hlo::Instruction& root = computation[computation.root];
  const hlo::InstructionId x = computation.parameters[0], y = computation.parameters[1];
  const std::vector<hlo::InstructionId> there{x, y}, back{y, x};
  if (root.operands != there && root.operands != back) return std::nullopt;
  switch (root.opcode) {
    case hlo::Opcode::add:
    case hlo::Opcode::multiply:
    case hlo::Opcode::minimum:
    case hlo::Opcode::maximum:
    case hlo::Opcode::logical_and:
    case hlo::Opcode::logical_or:
      return root.opcode;
    default:
      return std::nullopt;
  }
}

hlo::InstructionId identity_of(build::GraphBuilder& builder, hlo::Opcode combiner, hlo::ElementType type) {
  switch (combiner) {
    case hlo::Opcode::add:
    case hlo::Opcode::logical_or:
      return builder.constant(type, 0);
    case hlo::Opcode::multiply:
      return builder.constant(type, 1);
    case hlo::Opcode::maximum:
      return builder.constant(type, build::lowest_value(type));
    case hlo::Opcode::minimum:
      return builder.constant(type, highest_value(type));
    case hlo::Opcode::logical_and:
      // All bits of an integer are set.
      return builder.constant(type, hlo::is_signed_integer(type) ? -1 : highest_value(type));
    default:
      throw std::logic_error("the combiner has no identity");
  }
}

}  // namespace podsim::hlo::spmd::propagate
