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
  /// `bases` hold the addresses of the first step and are stepped in place.
  Odometer(KernelBuilder& builder, const std::vector<OdometerDimension>& dimensions, std::vector<ScalarReg> bases);
  /// To the next step; behind the last to the first one again.
  void advance() const;
  /// The product of all trips.
  ScalarOperand trips() const;
  /// Whether a group has dimensions of more than one trip; then 0 while all of them are at their first step.
  bool steps(int group) const;
  ScalarReg begun(int group) const;

 private:
  void add(const OdometerDimension& dimension);
  void add(ScalarReg base, ScalarOperand step) const;

  KernelBuilder& builder_;
  std::vector<OdometerDimension> dimensions_;
  std::vector<ScalarReg> bases_, remaining_;
  /// [dimension][base]: what moves a base from behind a dimension's last step to the outer dimension's next one.
  std::vector<std::vector<ScalarOperand>> carries_;
};

/// x * y; a literal if both are.
ScalarOperand product(KernelBuilder& builder, ScalarOperand x, ScalarOperand y);
/// A register with the operand's value.
ScalarReg in_register(KernelBuilder& builder, ScalarOperand x);

}  // namespace podsim::sw
