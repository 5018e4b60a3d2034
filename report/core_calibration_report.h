// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/machine.h"
#include "sw/target_machine.h"
#include "validation/kernels/agreement.h"
#include "validation/kernels/core_calibration.h"

namespace podsim::report {

/// The result of `podsim calibrate core`.
struct CalibrationReport {
  sw::TargetMachine machine;
  std::vector<validation::kernels::LevelComparison> comparisons;
  std::vector<validation::kernels::DerivedConstant> constants;
  std::vector<base::Cycles> present;  ///< the machine's value of each constant
  double wall_s = 0;                  ///< host time

  /// A warning for each constant whose value in the machine differs from the derived one.
  std::vector<std::string> warnings() const;
};

/// The kernels with the cycles of both levels, the median and the worst error, and the constants.
std::string calibration_text(const CalibrationReport& report);
std::string calibration_json(const CalibrationReport& report);

}  // namespace podsim::report
