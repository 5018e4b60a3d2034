// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "studies/plan/study.h"
#include "studies/sweep/prepared_point.h"
#include "studies/sweep/study_folder.h"
#include "studies/sweep/sweep_run.h"

namespace podsim::studies::sweep {

/// Contents of the message at the end of a sweep.
struct SweepSummary {
  const plan::Study& study;
  const StudyPaths& paths;
  std::size_t points = 0;   ///< number of points of the study, or of the shard
  std::size_t skipped = 0;  ///< number of these that were done before
  std::vector<std::string> warnings;
  SweepOutcome outcome;
  const SearchPoints* search = nullptr;  ///< of a search
  std::size_t refused = 0;               ///< number of points of a search that the program refused before
};

/// The numbers of points done and failed, the failures with their reasons, the best point of each objective, and the
/// paths of the results.
std::string summary_text(const SweepSummary& summary);
/// The counts of summary_text() as one JSON object.
std::string summary_json(const SweepSummary& summary);

/// The points that a sweep would run, as command lines, and the number that are already done.
std::string points_text(const std::vector<const PreparedPoint*>& points, const std::set<std::string>& done);
std::string points_json(const std::vector<const PreparedPoint*>& points, const std::set<std::string>& done);

}  // namespace podsim::studies::sweep
