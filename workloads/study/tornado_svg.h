// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/study/study_analysis.h"

namespace podsim::workloads {

/// For every swing two bars from the metric's value at the reference point, which is the line: one to what it is at the
/// axis's least value, one to what it is at the greatest, each with the value and the change. Missing swings are left
/// out; empty when all are. `metric` is an index into the results' metrics.
std::string tornado_svg(const StudyResults& results, const std::vector<Swing>& swings, std::size_t reference,
                        std::size_t metric, double width);

/// "chips", or "mxu.size with mxu.count" of axes that move together.
std::string swing_name(const StudyResults& results, const Swing& swing);

}  // namespace podsim::workloads
