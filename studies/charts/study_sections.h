// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "studies/store/study_results.h"

/// The sections of a study's page as HTML. A section without content is empty.
namespace podsim::studies::charts {

/// The question, the best point of every objective with its gain over the baseline, and key numbers.
std::string answer_html(const store::StudyResults& results);
std::string chart_html(const store::StudyResults& results);
std::string front_html(const store::StudyResults& results);
std::string sensitivity_html(const store::StudyResults& results);
std::string points_html(const store::StudyResults& results);
std::string failures_html(const store::StudyResults& results);
std::string machine_html(const store::StudyResults& results);
std::string assumptions_html(const store::StudyResults& results);
/// Host time of the sweep, savings by the cache of op durations, and the study's file.
std::string sweep_html(const store::StudyResults& results);

/// "Least step_time_s: 29.1 ms, 3.99 times less than the baseline's 116 ms, at slice 16x16." Empty if no point has the
/// objective.
std::string answer_text(const store::StudyResults& results, const store::Objective& objective);

}  // namespace podsim::studies::charts
