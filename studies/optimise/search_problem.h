// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "studies/optimise/hypervolume.h"
#include "studies/optimise/search_space.h"

namespace podsim::studies::optimise {

/// What a search needs to know about candidates before they run.
class SearchProblem {
 public:
  virtual ~SearchProblem() = default;

  virtual const SearchSpace& space() const = 0;
  virtual std::size_t objectives() const = 0;
  /// True if the constraints allow the candidate.
  virtual bool allows(const Candidate& candidate) = 0;
  /// The cost of an allowed candidate in an objective that follows from its values alone; std::nullopt for one that
  /// only a run tells.
  virtual std::optional<double> known_cost(const Candidate& candidate, std::size_t objective) = 0;
  /// False if an allowed candidate cannot run: its values do not make a machine, or it is the same run as an earlier
  /// candidate's. Slower than allows(), and called for chosen candidates only.
  virtual bool can_run(const Candidate& candidate) = 0;
};

/// A candidate that was run.
struct Tried {
  Candidate candidate;
  std::optional<Costs> costs;  ///< std::nullopt if the run was refused, or lacks an objective
  bool eligible = false;       ///< costs are there, and the result satisfies the constraints on metrics
};

}  // namespace podsim::studies::optimise
