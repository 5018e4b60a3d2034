// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/bundle/vector/operation.h"

namespace podsim::hw::bundle {

/// Scalar registers, predicates and SMEM, and the operations of the scalar slots. Integers of 32 bits wrap; shifts use
/// the amount modulo 32.
class ScalarUnit {
 public:
  explicit ScalarUnit(base::Bytes smem) : smem_(std::size_t(smem.value()) / 4) { predicates_[0] = true; }

  std::uint32_t value(vector::DecodedOperand operand) const {
    return registers_[operand.reg] + std::uint32_t(operand.literal);
  }
  std::int32_t number(vector::DecodedOperand operand) const { return std::int32_t(value(operand)); }
  bool performed(const vector::Operation& operation) const {
    return predicates_[operation.predicate] != operation.negated;
  }
  std::vector<std::uint32_t>& smem() { return smem_; }
  const std::vector<std::uint32_t>& smem() const { return smem_; }

  /// SMEM word address of s_load and s_store. It may be out of range.
  std::uint32_t smem_address(const vector::Operation& operation) const {
    return value(operation.x) + value(operation.y);
  }
  /// Returns true if a branch is taken.
  bool branches(const vector::Operation& operation) const {
    return operation.opcode == isa::Opcode::s_branch ||
           (operation.opcode == isa::Opcode::s_loop && value(operation.x) != 1);
  }

  /// The change that an operation makes, separate from making it: all slots read before any slot writes.
  struct Effect {
    enum class Kind : std::uint8_t { none, scalar, predicate, smem };
    Kind kind = Kind::none;
    std::uint32_t where = 0;  ///< register number, or SMEM word address
    std::uint32_t value = 0;
  };
  Effect evaluate(const vector::Operation& operation) const;
  void apply(const Effect& effect);

 private:
  std::uint32_t arithmetic(isa::Opcode opcode, std::uint32_t x, std::uint32_t y) const;
  bool compare(isa::Opcode opcode, std::uint32_t x, std::uint32_t y) const;
  bool logic(isa::Opcode opcode, bool x, bool y) const;

  std::array<std::uint32_t, isa::scalar_registers> registers_{};
  std::array<bool, isa::predicate_registers> predicates_{};
  std::vector<std::uint32_t> smem_;
};

}  // namespace podsim::hw::bundle
