// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/study/study_results.h"

/// A metric of a study against one of its axes, derived values or other metrics, with a family of curves by a second
/// axis: which points are drawn, and which belong together.
namespace podsim::workloads {

/// What to draw; an empty name is chosen: the metric is the study's first objective, x what its report asks for or the
/// first axis of numbers, the family the axis that moves the metric most besides.
struct ChartRequest {
  std::string x, metric;
  std::string family;                        ///< "none": one curve
  std::map<std::string, std::string> fixed;  ///< the values of further axes; "any" leaves an axis free
};

struct ChartMark {
  double x = 0, y = 0;  ///< as place_of gives them
  std::size_t point = 0;
};

struct ChartSeries {
  std::string label;             ///< the family's value; empty without a family
  bool line = false;             ///< one point at most at every x of an axis of numbers
  std::vector<ChartMark> marks;  ///< by x
};

struct StudyChart {
  Variable x, y;
  std::optional<Variable> family;
  std::vector<ChartSeries> series;                         ///< by the family's value
  std::vector<std::pair<std::size_t, std::string>> fixed;  ///< axes of which one value is drawn, and which
};

/// The axes that a variable's value depends on: itself and what moves with it; of a derived value, the axes that change
/// it; of a metric all.
std::vector<std::size_t> axes_behind(const StudyResults& results, const Variable& variable);

/// The points of the request. Axes that it names neither by x, family nor `fixed` are at the reference point's value,
/// or free where they move with one that it names; all are free when that leaves less than two points. InputError for a
/// name or value that the study does not have, each with the nearest one.
StudyChart study_chart(const StudyResults& results, const ChartRequest& request);

}  // namespace podsim::workloads
