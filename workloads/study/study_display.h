// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/study/study_results.h"

/// How a column of a study's results is shown: in one unit throughout, so that figures compare at a glance.
namespace podsim::workloads {

struct DisplayTick {
  double place = 0;
  std::string label;
};

struct VariableDisplay {
  std::string name;
  std::string unit;   ///< "ms", "%", or empty
  double factor = 1;  ///< what is shown is the number times this
  /// An axis whose values are no numbers: points are placed by the value's index in `ticks`.
  bool categorical = false;
  /// Positive values that reach over three octaves or more: their distances are ratios.
  bool logarithmic = false;
  /// Every value that occurs, of axes and of derived values with few of them; empty for all others.
  std::vector<DisplayTick> ticks;

  /// "step_time_s (ms)"
  std::string title() const;
};

VariableDisplay display_of(const StudyResults& results, const Variable& variable);

/// Where a point stands on the variable's scale; none where it has no value.
std::optional<double> place_of(const StudyResults& results, const ResultPoint& point, const Variable& variable,
                               const VariableDisplay& display);

/// The point's value with its unit; axes and derived values as the study wrote them. Empty where it has none.
std::string value_text(const StudyResults& results, const ResultPoint& point, const Variable& variable,
                       const VariableDisplay& display);

/// Four significant digits, more where whole digits would go, without trailing zeros.
std::string figure_text(double value);

}  // namespace podsim::workloads
