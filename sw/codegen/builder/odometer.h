// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/codegen/builder/kernel_builder.h"

namespace podsim::sw::codegen::builder {

/// A loop of a nest that is written as a single loop: its trips, and the distance that each base moves per step.
struct OdometerDimension {
  registers::ScalarOperand trips;
  std::vector<std::int32_t> steps;
  int group = 0;  ///< only dimensions of the same group are merged
};

/// Scalar registers that follow a nest of loops, outermost first: the remaining steps of each dimension, and base
/// addresses that are sums of index * step. To save registers, dimensions of one trip are dropped, and neighbouring
/// dimensions are merged if their steps form one sequence. Predicates are not used, since the machine has too few of
/// them for overlapping iterations.
class Odometer {
 public:
  /// A base address; the register initially holds the address of the first step.
  struct Base {
    registers::ScalarReg reg;
    bool returns = false;  ///< after the last step the register holds the first address again; otherwise undefined
  };
  Odometer(KernelBuilder& builder, const std::vector<OdometerDimension>& dimensions, std::vector<Base> bases);
  /// Advances the bases to the next step, in their registers.
  void advance() const;
  /// The product of all trips.
  registers::ScalarOperand trips() const;
  /// Returns true if a group has dimensions of more than one trip.
  bool has(int group) const;
  /// Returns a register that is 0 while all dimensions of a group are at their first step.
  registers::ScalarReg begun(int group) const;

 private:
  void add(const OdometerDimension& dimension);
  void add(registers::ScalarReg base, registers::ScalarOperand step) const;

  KernelBuilder& builder_;
  std::vector<OdometerDimension> dimensions_;
  std::vector<Base> bases_;
  std::vector<registers::ScalarReg> remaining_;
  /// [dimension][base]: distance from the address after a dimension's last step to that of the outer dimension's next
  /// step.
  std::vector<std::vector<registers::ScalarOperand>> carries_;
};

/// x * y; a literal if both operands are.
registers::ScalarOperand product(KernelBuilder& builder, registers::ScalarOperand x, registers::ScalarOperand y);
/// A register with the operand's value.
registers::ScalarReg in_register(KernelBuilder& builder, registers::ScalarOperand x);

}  // namespace podsim::sw::codegen::builder
