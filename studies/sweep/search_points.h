// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "studies/optimise/study_problem.h"
#include "studies/plan/study.h"
#include "studies/store/study_store.h"
#include "studies/sweep/prepared_point.h"

namespace podsim::studies::sweep {

/// The points that the search of a study chooses, batch after batch. What it chooses depends on the study and on the
/// results of earlier points alone: results that were stored before count as those of new runs.
///
/// A run that the program itself refused or gave up (exit codes 1 and 2) is a result: the point cannot be the best. Any
/// other failure, such as a time limit or a kill, depends on the host; the search ends there, until the point has run.
class SearchPoints {
 public:
  /// A study with a search, which must outlive the points.
  explicit SearchPoints(const plan::Study& study);

  /// Chooses the first batch. Throws InputError if there is no point, and for a baseline that is none of the points.
  void begin();
  /// All points chosen so far, by position.
  const std::deque<PreparedPoint>& points() const { return points_; }
  /// The points that have no result yet, after a further batch was chosen if all have one. Empty at the search's end.
  std::vector<const PreparedPoint*> next();
  /// The result of a point.
  void answer(const store::PointRecord& record);
  /// Chooses points as long as `stored` has their results, by id.
  void replay(const std::function<std::optional<store::PointRecord>(const std::string& id)>& stored);
  /// Forgets all results and points.
  void restart();

  /// Number of points that have a result.
  std::size_t answered() const;
  /// Number of points that the search will have chosen at its end, if the space has as many.
  std::size_t planned() const;
  /// Number of points whose result is that the program refused them.
  std::size_t refused_runs() const { return refused_runs_; }
  /// Whether a point is done.
  bool any_done() const { return any_done_; }
  /// Position of a point that ended the search (see above).
  std::optional<std::int64_t> stalled() const { return stalled_; }
  /// "gaussian search, seed 1: 40 of 1,200 combinations; 3 cannot run, such as ...".
  std::string summary() const;
  /// Number of candidates in the space, and of those that were looked at and cannot run.
  std::int64_t combinations() const { return problem_.space().size(); }
  std::size_t refused() const { return problem_.refused(); }

 private:
  std::vector<optimise::Candidate> choose();
  optimise::Tried tried(const PreparedPoint& point, const optimise::Candidate& candidate,
                        const store::PointRecord& record) const;

  const plan::Study& study_;
  optimise::StudyProblem problem_;
  optimise::SearchOptions options_;
  PointPreparer preparer_;
  std::deque<PreparedPoint> points_;
  std::vector<optimise::Candidate> candidates_;          ///< by position
  std::vector<std::optional<optimise::Tried>> results_;  ///< by position
  bool any_done_ = false;
  std::size_t refused_runs_ = 0;
  std::optional<std::int64_t> stalled_;
};

}  // namespace podsim::studies::sweep
