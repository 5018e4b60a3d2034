// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "studies/charts/study_analysis.h"

namespace podsim::studies::charts {

/// Tornado chart: for every swing two bars that start at the metric's value at the reference point, drawn as a line.
/// One bar ends at the metric's value at the axis's least value, the other at that of its greatest; each is labelled
/// with the axis value and the change of the metric. Missing swings are left out; the result is empty if all are
/// missing. `metric` is an index into the results' metrics.
std::string tornado_svg(const store::StudyResults& results, const std::vector<Swing>& swings, std::size_t reference,
                        std::size_t metric, double width);

/// "chips", or "mxu.size, mxu.count together" for axes that move together.
std::string swing_name(const store::StudyResults& results, const Swing& swing);

}  // namespace podsim::studies::charts
