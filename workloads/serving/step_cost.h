// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace podsim::workloads::serving {

struct StepShape;

/// What a step takes on the chips of an idle replica.
struct StepCost {
  double seconds = 0;  ///< launch included
  double joules = 0;   ///< of all chips, what they draw whatever they do included
  double mxu_s = 0;    ///< in which the MXUs of all cores would do its FLOPs at their peak
  double hbm_s = 0;    ///< in which the HBM would stream its bytes at its sustained rate

  StepCost() = default;
  /// A time alone, of a law that knows no chips.
  StepCost(double time) : seconds(time) {}  // NOLINT(google-explicit-constructor)

  StepCost& operator+=(const StepCost& more);
  StepCost operator*(double factor) const;
};

/// The cost of a step between two others, each part for itself: that of `first` at 0, of `last` at 1.
StepCost between(const StepCost& first, const StepCost& last, double share);

/// The cost of each shape.
using StepCosts = std::function<StepCost(const StepShape&)>;

}  // namespace podsim::workloads::serving
