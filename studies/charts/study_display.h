// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "studies/store/study_results.h"

/// Display of a variable of a study's results: one unit for all points, so that values compare at a glance.
namespace podsim::studies::charts {

struct DisplayTick {
  double place = 0;
  std::string label;
};

struct VariableDisplay {
  std::string name;
  std::string unit;   ///< "ms", "%", or empty
  double factor = 1;  ///< displayed number = number in SI units * factor
  /// True for an axis with non-numeric values: a point's coordinate is the index of its value in `ticks`.
  bool categorical = false;
  /// True if all values are positive and span a ratio of 8 (three octaves) or more; the x scale is then logarithmic.
  bool logarithmic = false;
  /// Every value of an axis, or of a derived value with at most 12 distinct values; empty for all other variables.
  std::vector<DisplayTick> ticks;

  /// "step_time_s (ms)"
  std::string title() const;
};

VariableDisplay display_of(const store::StudyResults& results, const store::Variable& variable);

/// A point's coordinate on the variable's scale; std::nullopt where it has no value.
std::optional<double> coordinate_of(const store::StudyResults& results, const store::ResultPoint& point,
                                    const store::Variable& variable, const VariableDisplay& display);

/// The point's value: a metric with its unit, axes and derived values as the study wrote them. Empty where it has none.
std::string value_text(const store::StudyResults& results, const store::ResultPoint& point,
                       const store::Variable& variable, const VariableDisplay& display);

/// The number with four significant digits, or all digits before the decimal point from 10,000 up, without trailing
/// zeros.
std::string figure_text(double value);

}  // namespace podsim::studies::charts
