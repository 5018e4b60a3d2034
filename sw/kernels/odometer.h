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

/// Scalar registers that follow a nest of loops, outermost first: the index of each dimension and base addresses that
/// are sums of index * step. Dimensions of one trip are dropped, and two neighbours whose steps continue each other
/// become one, which saves registers.
class Odometer {
 public:
  /// `bases` hold the addresses of the first step and are stepped in place.
  Odometer(KernelBuilder& builder, const std::vector<OdometerDimension>& dimensions, std::vector<ScalarReg> bases);
  /// To the next step; behind the last to the first one again.
  void advance() const;
  /// The product of all trips.
  ScalarOperand trips() const;
  /// Indices of what is left of a group's dimensions.
  std::vector<ScalarReg> indices(int group) const;

 private:
  void add(const OdometerDimension& dimension);

  KernelBuilder& builder_;
  std::vector<OdometerDimension> dimensions_;
  std::vector<ScalarReg> bases_, indices_;
  /// [dimension][base]: what undoes a dimension's steps when its index wraps.
  std::vector<std::vector<ScalarOperand>> rewinds_;
};

/// x * y; a literal if both are.
ScalarOperand product(KernelBuilder& builder, ScalarOperand x, ScalarOperand y);
/// A register with the operand's value.
ScalarReg in_register(KernelBuilder& builder, ScalarOperand x);

}  // namespace podsim::sw
