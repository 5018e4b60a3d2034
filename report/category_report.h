// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "validation/profile/step_categories.h"

namespace podsim::report {

/// The output of `podsim ops --categories`: times of a step by category, in a profile and in the ops of a run.
struct CategoryReport {
  std::string profile, ops;  ///< files
  validation::profile::StepTimes measured, simulated;
  double wall_s = 0;  ///< host time
};

/// A table of the categories with 0.5 % of either step, the longest of the profile first, and both sums.
std::string category_text(const CategoryReport& report);
std::string category_json(const CategoryReport& report);

}  // namespace podsim::report
