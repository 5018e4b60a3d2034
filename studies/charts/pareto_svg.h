// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "studies/store/study_results.h"

namespace podsim::studies::charts {

/// Draws every done point by the first two objectives. Points of `front` (the pareto_front of all objectives) are
/// coloured, and joined by a line if there are exactly two objectives; the others are grey. The reference point is
/// ringed. `objectives` has at least two elements. The page's script study_chart.js redraws the chart by the same
/// rules.
std::string pareto_svg(const store::StudyResults& results, const std::vector<store::Objective>& objectives,
                       const std::vector<std::size_t>& front, double width);

}  // namespace podsim::studies::charts
