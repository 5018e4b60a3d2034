// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/machine.h"
#include "hw/memory/stream_agreement.h"

namespace podsim::sw {

/// What `podsim calibrate memory` found.
struct MemoryCalibrationReport {
  hw::Machine machine;
  std::vector<hw::StreamComparison> comparisons;
  double wall_s = 0;  ///< host time

  double median_error() const;  ///< without sign, of at least one comparison
  const hw::StreamComparison& worst() const;
};

/// The rates of the shapes that transfers have, and streams against banks.
std::string memory_calibration_text(const MemoryCalibrationReport& report);
std::string memory_calibration_json(const MemoryCalibrationReport& report);

}  // namespace podsim::sw
