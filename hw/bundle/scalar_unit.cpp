// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/scalar_unit.h"

#include <algorithm>

namespace podsim::hw::bundle {

using isa::Opcode;

ScalarUnit::Effect ScalarUnit::evaluate(const vector::Operation& operation) const {
  const isa::Opcode opcode = operation.opcode;
  const std::uint32_t x = value(operation.x);
  const std::uint32_t y = value(operation.y);
  if (opcode <= isa::Opcode::s_mov) return {Effect::Kind::scalar, operation.destination, arithmetic(opcode, x, y)};
  if (opcode == isa::Opcode::s_load)
    return {Effect::Kind::scalar, operation.destination, smem_[smem_address(operation)]};
  if (opcode == isa::Opcode::s_store) {
    return {Effect::Kind::smem, smem_address(operation), registers_[operation.destination]};
  }
  if (opcode <= isa::Opcode::s_leu) return {Effect::Kind::predicate, operation.destination, compare(opcode, x, y)};
  if (opcode <= isa::Opcode::p_xor) {
    return {Effect::Kind::predicate, operation.destination,
            logic(opcode, predicates_[operation.x.reg], predicates_[operation.y.reg])};
  }
  if (opcode == isa::Opcode::s_loop) return {Effect::Kind::scalar, operation.x.reg, x - 1};
  return {};
}

void ScalarUnit::apply(const Effect& effect) {
  switch (effect.kind) {
    case Effect::Kind::none:
      break;
    case Effect::Kind::scalar:
      registers_[effect.where] = effect.value;
      break;
    case Effect::Kind::predicate:
      predicates_[effect.where] = effect.value != 0;
      break;
    case Effect::Kind::smem:
      smem_[effect.where] = effect.value;
      break;
  }
}

std::uint32_t ScalarUnit::arithmetic(isa::Opcode opcode, std::uint32_t x, std::uint32_t y) const {
  switch (opcode) {
    case isa::Opcode::s_add:
      return x + y;
    case isa::Opcode::s_sub:
      return x - y;
    case isa::Opcode::s_mul:
      return x * y;
    case isa::Opcode::s_and:
      return x & y;
    case isa::Opcode::s_or:
      return x | y;
    case isa::Opcode::s_xor:
      return x ^ y;
    case isa::Opcode::s_shl:
      return x << (y & 31);
    case isa::Opcode::s_shr:
      return x >> (y & 31);
    case isa::Opcode::s_sar:
      return std::uint32_t(std::int32_t(x) >> (y & 31));
    case isa::Opcode::s_min:
      return std::uint32_t(std::min(std::int32_t(x), std::int32_t(y)));
    case isa::Opcode::s_max:
      return std::uint32_t(std::max(std::int32_t(x), std::int32_t(y)));
    default:
      return y;
  }
}

bool ScalarUnit::compare(isa::Opcode opcode, std::uint32_t x, std::uint32_t y) const {
  switch (opcode) {
    case isa::Opcode::s_eq:
      return x == y;
    case isa::Opcode::s_ne:
      return x != y;
    case isa::Opcode::s_lt:
      return std::int32_t(x) < std::int32_t(y);
    case isa::Opcode::s_le:
      return std::int32_t(x) <= std::int32_t(y);
    case isa::Opcode::s_ltu:
      return x < y;
    default:
      return x <= y;
  }
}

bool ScalarUnit::logic(isa::Opcode opcode, bool x, bool y) const {
  switch (opcode) {
    case isa::Opcode::p_and:
      return x && y;
    case isa::Opcode::p_or:
      return x || y;
    default:
      return x != y;
  }
}

}  // namespace podsim::hw::bundle
