// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "validation/profile/array_layouts.h"

namespace podsim::report {

/// The output of `podsim ops --layouts`: layouts of equal arrays in a profile and in the ops of a run.
struct LayoutReport {
  std::string profile, ops;  ///< files
  validation::profile::LayoutComparison layouts;
  double wall_s = 0;  ///< host time
};

/// Shares, and a table of the arrays that differ or are missing in the second file, the largest first.
std::string layout_text(const LayoutReport& report);
std::string layout_json(const LayoutReport& report);

}  // namespace podsim::report
