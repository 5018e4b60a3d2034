// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/machine.h"
#include "hw/memory/banks/stream_agreement.h"

namespace podsim::sw::report {

/// The result of `podsim calibrate memory`.
struct MemoryCalibrationReport {
  hw::Machine machine;
  std::vector<hw::memory::banks::StreamComparison> comparisons;
  double wall_s = 0;  ///< host time

  double median_error() const;  ///< of absolute values; needs at least one comparison
  const hw::memory::banks::StreamComparison& worst() const;
};

/// The rates of the shapes that transfers have, and the comparison of streams with banks.
std::string memory_calibration_text(const MemoryCalibrationReport& report);
std::string memory_calibration_json(const MemoryCalibrationReport& report);

}  // namespace podsim::sw::report
