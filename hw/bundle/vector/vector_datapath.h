// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "hw/bundle/vector/operation.h"
#include "hw/bundle/vector/vector_memory.h"

namespace podsim::hw::bundle::vector {

/// Vector registers, masks and VMEM with their data, and the operations of the vector, load and store slots on them.
/// Exists only in runs with data.
class VectorDatapath {
 public:
  explicit VectorDatapath(std::int64_t vmem_rows);

  LiteralLanes& literals() { return literals_; }
  VectorMemory& memory() { return memory_; }

  /// Operands x and y of a vector or transcendental operation or a push.
  const VectorRegister& x(const Operation& operation) const { return registers_[operation.x.reg]; }
  const VectorRegister& y(const Operation& operation) const {
    return operation.y_lanes != nullptr ? *operation.y_lanes : registers_[operation.y.reg];
  }
  /// Returns where an operation writes its result: the register, or for a deferred operation a copy until commit().
  VectorRegister& destination(const Operation& operation);

  /// Performs an operation of the vector slots; `y` is the value of a scalar operand.
  void perform(const Operation& operation, std::uint32_t y);
  void load(const Operation& operation, const RowSet& rows);
  void store(const Operation& operation, const RowSet& rows);
  /// Writes deferred results to their registers, after the whole bundle has read.
  void commit();

 private:
  void perform_on_masks(const Operation& operation, std::uint32_t y);
  MaskRegister& mask_destination(const Operation& operation);

  template <class Register>
  struct Deferred {
    std::uint8_t number;
    Register value;
  };
  std::array<VectorRegister, isa::vector_registers> registers_{};
  std::array<MaskRegister, isa::mask_registers> masks_{};
  std::vector<Deferred<VectorRegister>> deferred_registers_;
  std::vector<Deferred<MaskRegister>> deferred_masks_;
  VectorRegister splat_{};
  LiteralLanes literals_;
  VectorMemory memory_;
};

}  // namespace podsim::hw::bundle::vector
