// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/kernels/kernel_builder.h"

namespace podsim::sw {

/// One loop of a nest that is written as a single loop: its trips, and by how much each base moves per step.
struct OdometerDimension {
  ScalarOperand trips;
  std::vector<std::int32_t> steps;
  int group = 0;  ///< only dimensions of one group become one
};

/// Scalar registers that follow a nest of loops, outermost first: the steps that remain in each dimension and base
/// addresses that are sums of index * step. Dimensions of one trip are dropped, and two neighbours whose steps continue
/// each other become one, which saves registers. Predicates are not used: there are few for overlapping iterations.
class Odometer {
 public:
  /// An address, which holds that of the first step.
  struct Base {
    ScalarReg reg;
    bool returns = false;  ///< behind the last step it is that of the first again, otherwise anything
  };
  Odometer(KernelBuilder& builder, const std::vector<OdometerDimension>& dimensions, std::vector<Base> bases);
  /// Steps the bases in place.
  void advance() const;
  /// The product of all trips.
  ScalarOperand trips() const;
  /// Whether a group has dimensions of more than one trip; then 0 while all of them are at their first step.
  bool has(int group) const;
  ScalarReg begun(int group) const;

 private:
  void add(const OdometerDimension& dimension);
  void add(ScalarReg base, ScalarOperand step) const;

  KernelBuilder& builder_;
  std::vector<OdometerDimension> dimensions_;
  std::vector<Base> bases_;
  std::vector<ScalarReg> remaining_;
  /// [dimension][base]: what moves a base from behind a dimension's last step to the outer dimension's next one.
  std::vector<std::vector<ScalarOperand>> carries_;
};

/// x * y; a literal if both are.
ScalarOperand product(KernelBuilder& builder, ScalarOperand x, ScalarOperand y);
/// A register with the operand's value.
ScalarReg in_register(KernelBuilder& builder, ScalarOperand x);

}  // namespace podsim::sw
