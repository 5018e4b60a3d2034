// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "studies/store/study_results.h"

/// Chart of one variable of a study against another (an axis, derived value or metric), with a family of curves by a
/// third: selects the points to draw and groups them into series.
namespace podsim::studies::charts {

/// The variables to draw. An empty name is chosen: the metric is the study's first objective that is one, else its
/// first metric; x is the report's, else the first numeric axis; the family is the axis with the widest swing of the
/// metric, of those with at most 12 values that x does not depend on.
struct ChartRequest {
  std::string x, metric;
  std::string family;                        ///< "none": one curve
  std::map<std::string, std::string> fixed;  ///< values of further axes; "any" leaves an axis free
};

struct ChartMark {
  double x = 0, y = 0;  ///< from coordinate_of
  std::size_t point = 0;
};

struct ChartSeries {
  std::string label;  ///< the family's value; empty without a family
  bool line = false;  ///< drawn as a line: at most one point at each x, which is numeric and no metric, and no search
  std::vector<ChartMark> marks;  ///< in order of x
};

struct StudyChart {
  store::Variable x, y;
  std::optional<store::Variable> family;
  std::vector<ChartSeries> series;                         ///< in order of the family's value
  std::vector<std::pair<std::size_t, std::string>> fixed;  ///< (axis, value) of each axis that is held at one value
};

/// The axes that a variable depends on: for an axis, itself and the axes that move with it; for a derived value, the
/// axes that change it; for a metric, all.
std::vector<std::size_t> axes_behind(const store::StudyResults& results, const store::Variable& variable);

/// The chart of a request. Axes that the request names neither as x, family nor in `fixed` are held at the reference
/// point's value. They are free if x or the family depends on them, or if they move with an axis in `fixed`. If fewer
/// than two points remain, or a search chose the points, and `fixed` is empty, all axes are free. Throws InputError,
/// with the nearest name or the possible ones, for a name or value that the study does not have.
StudyChart study_chart(const store::StudyResults& results, const ChartRequest& request);

}  // namespace podsim::studies::charts
