// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/chip/contention_agreement.h"
#include "hw/machine.h"

namespace podsim::report {

/// The result of `podsim calibrate contention`.
struct ContentionReport {
  hw::Machine machine;
  std::vector<hw::chip::ContentionComparison> comparisons;
  double wall_s = 0;  ///< host time
};

/// Errors against the bank model of the time in which an op and concurrent traffic both finish: the mean of |error|,
/// and the share of the pairs that are within 5 %.
struct ContentionErrors {
  std::size_t pairs = 0;
  double mean = 0, within = 0;
};
ContentionErrors contention_errors(const std::vector<hw::chip::ContentionComparison>& comparisons);

std::string contention_text(const ContentionReport& report);
std::string contention_json(const ContentionReport& report);

}  // namespace podsim::report
