// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/study/study_results.h"

/// The parts of a study's page as HTML. A part that the study has nothing for is empty.
namespace podsim::workloads {

/// The question, for every objective the best point and what it gains over the baseline, figures.
std::string answer_html(const StudyResults& results);
std::string chart_html(const StudyResults& results);
std::string front_html(const StudyResults& results);
std::string sensitivity_html(const StudyResults& results);
std::string points_html(const StudyResults& results);
std::string failures_html(const StudyResults& results);
std::string machine_html(const StudyResults& results);
std::string assumptions_html(const StudyResults& results);
/// How long it took here, what the cache of op durations saved, the study's file.
std::string sweep_html(const StudyResults& results);

/// "Least step_time_s: 29.1 ms, 3.99 times less than the baseline's 116 ms, at slice 16x16." Empty where no point has
/// the objective.
std::string answer_text(const StudyResults& results, const Objective& objective);

}  // namespace podsim::workloads
