// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/machine.h"
#include "hw/memory/banks/stream_agreement.h"

namespace podsim::report {

/// What transfers of one shape sustain, in GB/s.
struct SustainedRates {
  std::string shape;
  double read = 0, written = 0, both = 0;  ///< alone, alone, and both at once
};
/// The rates of the shapes that transfers have, from long rows to short ones, measured on the banks.
std::vector<SustainedRates> sustained_rates(const hw::Machine& machine);

/// The result of `podsim calibrate memory`.
struct MemoryCalibrationReport {
  hw::Machine machine;
  std::vector<SustainedRates> rates;
  std::vector<hw::memory::banks::StreamComparison> comparisons;
  double wall_s = 0;  ///< host time

  double median_error() const;  ///< of absolute values; 0 without comparisons
  const hw::memory::banks::StreamComparison& worst() const;
  double worst_error() const;  ///< largest |error|; 0 without comparisons
};

/// The rates, and the comparison of streams with banks.
std::string memory_calibration_text(const MemoryCalibrationReport& report);
std::string memory_calibration_json(const MemoryCalibrationReport& report);

}  // namespace podsim::report
