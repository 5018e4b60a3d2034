// SPDX-License-Identifier: Apache-2.0
// Part of studies/optimise/search_method.h.
#include "studies/optimise/candidate_draw.h"
#include "studies/optimise/search_method.h"

namespace podsim::studies::optimise {

std::vector<Candidate> next_random(SearchProblem& problem, const SearchOptions& options,
                                   const std::vector<Tried>& tried) {
  return CandidateDraw(problem, options, tried).take(options.points - std::int64_t(tried.size()));
}

}  // namespace podsim::studies::optimise
