// SPDX-License-Identifier: Apache-2.0
#include "studies/optimise/candidate_draw.h"

#include <algorithm>
#include <utility>

namespace podsim::studies::optimise {
namespace {

constexpr std::int64_t looked_at_for_one = 32;

/// The space in which the fidelity has its first value alone.
SearchSpace without_fidelity(const SearchSpace& space, const SearchOptions& options) {
  std::vector<Dimension> dimensions = space.dimensions();
  if (options.fidelity) dimensions[*options.fidelity] = {};
  return SearchSpace(std::move(dimensions));
}

}  // namespace

CandidateDraw::CandidateDraw(SearchProblem& problem, const SearchOptions& options, const std::vector<Tried>& tried)
    : problem_(problem),
      options_(options),
      drawn_(without_fidelity(problem.space(), options)),
      order_(drawn_.size(), options.seed) {
  for (const Tried& one : tried) tried_.insert(one.candidate);
}

bool CandidateDraw::is_new(const Candidate& candidate) {
  return !tried_.contains(candidate) && problem_.allows(candidate);
}

std::vector<Candidate> CandidateDraw::take(std::int64_t count) {
  std::vector<Candidate> taken;
  const auto consider = [&](Candidate candidate) {
    if (!is_new(candidate) || !problem_.can_run(candidate)) return;
    tried_.insert(candidate);
    taken.push_back(std::move(candidate));
  };
  if (options_.start && count > 0) {
    Candidate start = *options_.start;
    if (options_.fidelity) start[*options_.fidelity] = 0;
    consider(std::move(start));
  }
  const std::int64_t end = std::min(drawn_.size(), most_looked_at);
  for (std::int64_t i = 0; i < end && std::int64_t(taken.size()) < count; ++i) consider(drawn_.candidate(order_.at(i)));
  return taken;
}

std::vector<Candidate> CandidateDraw::look(std::int64_t count, std::int64_t from) {
  std::vector<Candidate> seen;
  const std::int64_t end = std::min(drawn_.size(), looked_at_for_one * count);
  for (std::int64_t i = 0; i < end && std::int64_t(seen.size()) < count; ++i) {
    Candidate candidate = drawn_.candidate(order_.at((from + i) % drawn_.size()));
    if (is_new(candidate)) seen.push_back(std::move(candidate));
  }
  return seen;
}

}  // namespace podsim::studies::optimise
