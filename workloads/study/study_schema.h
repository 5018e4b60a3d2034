// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workloads/study/study.h"

/// The tables of a study's database and what the study itself puts into them.
namespace podsim::workloads {

/// Makes the tables.
std::string study_tables();

/// Makes the view `results` anew for this study. A name that comes twice, such as a metric called like an axis, has
/// " (derived)" or " (metric)" behind it the second time.
std::string study_view(const Study& study);

/// The rows of the table `study`.
std::vector<std::pair<std::string, std::string>> study_facts(const Study& study, const std::string& program,
                                                             const std::string& baseline);

}  // namespace podsim::workloads
