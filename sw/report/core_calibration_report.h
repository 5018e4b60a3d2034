// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/machine.h"
#include "sw/kernels/agreement.h"
#include "sw/kernels/core_calibration.h"

namespace podsim::sw {

/// What `podsim calibrate core` found.
struct CalibrationReport {
  hw::Machine machine;
  std::vector<LevelComparison> comparisons;
  std::vector<DerivedConstant> constants;
  std::vector<base::Cycles> present;  ///< what the machine has of each constant
  double wall_s = 0;                  ///< host time

  /// One for each constant that the machine has another value of.
  std::vector<std::string> warnings() const;
};

/// The kernels with both levels' cycles, the median and the worst error, the constants.
std::string calibration_text(const CalibrationReport& report);
std::string calibration_json(const CalibrationReport& report);

}  // namespace podsim::sw
