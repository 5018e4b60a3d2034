// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sw/report/html/svg_chart.h"
#include "workloads/study/study_results.h"

/// Points of a study as marks in a chart.
namespace podsim::workloads {

struct PlacedPoint {
  std::size_t point = 0;  ///< index into StudyResults::points
  sw::SvgPoint at;
};

enum class MarkKind {
  linked,  ///< for the page: `data-point` says which point to show, and the tip its values
  plain
};

/// A circle for each point; `variables` are what linked ones say besides the point's name. More than 200 are dots of
/// one path, which neither links nor says anything.
std::string point_marks(const StudyResults& results, const std::vector<PlacedPoint>& points, std::string_view css_class,
                        MarkKind kind, const std::vector<Variable>& variables);

/// Around the point that ratios start from.
std::string reference_ring(const sw::SvgPoint& at);

/// "slice 4x4, ici.link_rate 656 Gb/s": every axis that has more than one value. Of axes that move together all are
/// named.
std::string point_name(const StudyResults& results, std::size_t point);

/// An axis's value for readers: "not set" where the study leaves a flag out.
std::string axis_text(const ResultValue& value);

}  // namespace podsim::workloads
