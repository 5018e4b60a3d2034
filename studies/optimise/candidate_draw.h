// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "studies/optimise/search_method.h"

namespace podsim::studies::optimise {

/// Candidates drawn from a space at random without repetition: the start, then the random order of the seed.
class CandidateDraw {
 public:
  /// Skips what was tried. `problem` and `options` must outlive it.
  CandidateDraw(SearchProblem& problem, const SearchOptions& options, const std::vector<Tried>& tried);

  /// The next candidates that can run, at most `count`.
  std::vector<Candidate> take(std::int64_t count);
  /// The next allowed candidates, at most `count`, from any position of the order on; whether they can run is open.
  /// Fewer where constraints leave less than one in 32.
  std::vector<Candidate> look(std::int64_t count, std::int64_t from);

 private:
  bool is_new(const Candidate& candidate);

  SearchProblem& problem_;
  const SearchOptions& options_;
  SearchSpace drawn_;  ///< the space; for halving without the fidelity, which has its first value
  RandomOrder order_;
  std::set<Candidate> tried_;
};

}  // namespace podsim::studies::optimise
