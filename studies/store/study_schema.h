// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "studies/plan/study.h"

/// SQL of a study's database: its tables, and the rows that describe the study itself.
namespace podsim::studies::store {

/// SQL that creates the tables.
std::string study_tables();

/// SQL that replaces the view `results` with that of this study. A name that occurs a second time, such as a metric
/// with the name of an axis, has " (derived)" or " (metric)" appended.
std::string study_view(const plan::Study& study);

/// The rows of the table `study`.
std::vector<std::pair<std::string, std::string>> study_facts(const plan::Study& study, const std::string& program,
                                                             const std::string& baseline);

}  // namespace podsim::studies::store
