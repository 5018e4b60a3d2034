// SPDX-License-Identifier: Apache-2.0
// Part of studies/optimise/search_method.h.
#include <algorithm>
#include <cstddef>

#include "studies/optimise/candidate_draw.h"
#include "studies/optimise/hypervolume.h"
#include "studies/optimise/search_method.h"

namespace podsim::studies::optimise {
namespace {

/// Point slightly worse than all, so that the ends of a front add volume too.
Costs behind_all(const std::vector<const Tried*>& round) {
  Costs least = *round.front()->costs, most = least;
  for (const Tried* one : round) {
    for (std::size_t i = 0; i < most.size(); ++i) {
      least[i] = std::min(least[i], (*one->costs)[i]);
      most[i] = std::max(most[i], (*one->costs)[i]);
    }
  }
  for (std::size_t i = 0; i < most.size(); ++i) {
    const double range = most[i] - least[i];
    most[i] += range > 0 ? range / 10 : 1;
  }
  return most;
}

/// Volume that only this one of the points dominates.
double own_volume(const std::vector<const Tried*>& points, const Tried* one, const Costs& reference) {
  std::vector<Costs> others;
  for (const Tried* other : points) {
    if (other != one) others.push_back(*other->costs);
  }
  return HypervolumeFront(others, reference).gain(*one->costs);
}

/// Best first. `round` has costs and is in the order of its trial, which decides between equals.
std::vector<const Tried*> ranked(std::vector<const Tried*> round) {
  std::vector<const Tried*> order;
  if (round.empty()) return order;
  const Costs reference = behind_all(round);
  while (!round.empty()) {
    std::vector<const Tried*> front, rest;
    for (const Tried* one : round) {
      const bool beaten =
          std::ranges::any_of(round, [one](const Tried* other) { return dominates(*other->costs, *one->costs); });
      (beaten ? rest : front).push_back(one);
    }
    std::vector<std::pair<double, const Tried*>> by_volume;
    for (const Tried* one : front) by_volume.emplace_back(own_volume(front, one, reference), one);
    std::ranges::stable_sort(by_volume, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [volume, one] : by_volume) order.push_back(one);
    round = std::move(rest);
  }
  return order;
}

}  // namespace

std::vector<Candidate> next_halving(SearchProblem& problem, const SearchOptions& options,
                                    const std::vector<Tried>& tried) {
  const std::size_t fidelity = options.fidelity.value();
  if (tried.empty()) return CandidateDraw(problem, options, tried).take(options.points);
  const std::int64_t round = tried.back().candidate[fidelity];
  if (round + 1 == problem.space().dimensions()[fidelity].values) return {};
  std::vector<const Tried*> there;
  std::int64_t size = 0;
  for (const Tried& one : tried) {
    if (one.candidate[fidelity] != round) continue;
    ++size;
    if (one.eligible && one.costs) there.push_back(&one);
  }
  const std::int64_t wanted = std::max<std::int64_t>(size / options.keep, 1);
  std::vector<Candidate> next;
  const auto promote = [&](Candidate candidate) {
    candidate[fidelity] = round + 1;
    const bool again = std::ranges::find(next, candidate) != next.end();
    if (!again && problem.allows(candidate) && problem.can_run(candidate)) next.push_back(std::move(candidate));
  };
  const auto is_start = [&](const Tried& one) {
    Candidate start = options.start.value_or(Candidate());
    if (start.empty()) return false;
    start[fidelity] = round;
    return one.candidate == start && one.costs.has_value();
  };
  if (const auto start = std::ranges::find_if(tried, is_start); start != tried.end()) promote(start->candidate);
  const std::int64_t extra = std::int64_t(next.size());
  for (const Tried* one : ranked(std::move(there))) {
    if (std::int64_t(next.size()) < wanted + extra) promote(one->candidate);
  }
  return next;
}

}  // namespace podsim::studies::optimise
