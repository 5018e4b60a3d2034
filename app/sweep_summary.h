// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "app/prepared_point.h"
#include "app/study_folder.h"
#include "app/sweep_run.h"
#include "workloads/study/study.h"

namespace podsim::app {

/// What a sweep says at its end.
struct SweepSummary {
  const workloads::Study& study;
  const StudyPaths& paths;
  std::size_t points = 0;   ///< of the study, or of the shard
  std::size_t skipped = 0;  ///< of them, those that were done before
  std::vector<std::string> warnings;
  SweepOutcome outcome;
};

/// Points done and failed, what failed and why, the best point of each objective, and where the results are.
std::string summary_text(const SweepSummary& summary);
/// The same counts as one JSON object.
std::string summary_json(const SweepSummary& summary);

/// The points that would be run as command lines, and how many are done already.
std::string points_text(const std::vector<const PreparedPoint*>& points, const std::set<std::string>& done);
std::string points_json(const std::vector<const PreparedPoint*>& points, const std::set<std::string>& done);

}  // namespace podsim::app
