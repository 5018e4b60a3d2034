// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/study/study_results.h"

namespace podsim::workloads {

/// Every done point by the first two objectives: those of `front` (pareto_front of all objectives) in colour, joined by
/// a line when the objectives are two, the others quiet; the reference point is ringed. Two objectives at least. The
/// page's script study.js draws it again, by the same rules.
std::string pareto_svg(const StudyResults& results, const std::vector<Objective>& objectives,
                       const std::vector<std::size_t>& front, double width);

}  // namespace podsim::workloads
