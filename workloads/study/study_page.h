// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/study/study_results.h"

namespace podsim::workloads {

/// A study as one page (sw/report/html/html_page.h): the question and its answer in figures, charts against the axes,
/// the Pareto front, sensitivities, every point with what it takes to run it again, what failed, the machine and its
/// assumptions. Below a megabyte for a thousand points. Charts and figures are there without scripts; choosing, and the
/// table of points, need them.
std::string study_page(const StudyResults& results);

}  // namespace podsim::workloads
