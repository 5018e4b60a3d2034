// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/report/html/svg_chart.h"
#include "workloads/study/chart_marks.h"
#include "workloads/study/study_chart.h"

/// A study's chart as SVG, with the pieces and colours of report pages (sw/report/html/svg_chart.h). The page's script
/// study.js draws it again, by the same rules, when a reader chooses something else.
namespace podsim::workloads {

/// Dots, joined by lines where an axis of numbers has one point at every value; the reference point is ringed. The
/// metric's scale begins at zero unless its values lie within 30 % of the greatest, and is logarithmic from a ratio of
/// 30 on.
std::string study_chart_svg(const StudyResults& results, const StudyChart& chart, double width, MarkKind marks);

/// What the chart leaves out: "slice 4x4, batch_per_core 128"; empty when it has all points.
std::string fixed_text(const StudyResults& results, const StudyChart& chart);

/// The family's values and their colours; empty without a family.
std::vector<sw::LegendEntry> family_legend(const StudyResults& results, const StudyChart& chart);

/// The chart as a file of its own, for pages of documentation: title, legend, what is fixed, and colours that follow
/// light and dark.
std::string study_chart_file(const StudyResults& results, const StudyChart& chart);

}  // namespace podsim::workloads
