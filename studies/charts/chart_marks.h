// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/svg_chart.h"
#include "studies/store/study_results.h"

/// Points of a study as marks in a chart.
namespace podsim::studies::charts {

struct PlottedPoint {
  std::size_t point = 0;  ///< index into StudyResults::points
  report::html::SvgPoint at;
};

enum class MarkKind {
  linked,  ///< for the page: `data-point` names the point to show, and a tip shows its values
  plain
};

/// A circle for each point; the tip of a linked one shows the point's name and its values of `variables`. More than 200
/// points become dots of one path, without links and tips.
std::string point_marks(const store::StudyResults& results, const std::vector<PlottedPoint>& points,
                        std::string_view css_class, MarkKind kind, const std::vector<store::Variable>& variables);

/// Ring around the reference point.
std::string reference_ring(const report::html::SvgPoint& at);

/// "slice 4x4, ici.link_rate 656 Gb/s": every axis with more than one value, including each of several axes that move
/// together.
std::string point_name(const store::StudyResults& results, std::size_t point);

/// An axis's value as readers see it: "not set" where the study leaves a flag out.
std::string axis_text(const store::ResultValue& value);

}  // namespace podsim::studies::charts
