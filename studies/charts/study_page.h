// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "studies/store/study_results.h"

namespace podsim::studies::charts {

/// Renders a study as one HTML page (report/html/html_page.h): the question and its answer in numbers, charts
/// against the axes, the Pareto front, sensitivities, every point with the command line that runs it again, failures,
/// the machine and its assumptions. The page is below a megabyte for a thousand points. It shows charts and numbers
/// without scripts; choosing what to draw and the table of points need scripts.
std::string study_page(const store::StudyResults& results);

}  // namespace podsim::studies::charts
