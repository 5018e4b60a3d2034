// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/expected_results.h"

#include <algorithm>

namespace podsim::sw::collectives::engine {
namespace {

/// The sums of the groups' operands, where the kind adds.
std::vector<std::vector<double>> group_sums(const schedule::CollectiveSchedule& schedule, const CoreVectors& operands) {
  const auto elements = std::size_t(schedule.request().elements);
  std::vector<std::vector<double>> sums(schedule.groups());
  for (std::int32_t core = 0; traits(schedule.request().kind).reduces && core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    std::vector<double>& sum = sums[std::size_t(schedule.member(core).group)];
    sum.resize(elements);
    for (std::size_t i = 0; i < elements; ++i) sum[i] += operands[std::size_t(core)][i];
  }
  return sums;
}

/// The ranks whose operands, one after the other, are the result of a core.
std::vector<std::int32_t> sources(const schedule::CollectiveSchedule& schedule, std::int32_t core) {
  const CollectiveTraits& kind = traits(schedule.request().kind);
  if (kind.pairwise) return {schedule.receives(core) ? schedule.sender(core, {}) : core};
  const auto& ranks = schedule.ranks(core);
  return kind.rooted ? std::vector{ranks[0]} : std::vector(ranks.begin(), ranks.end());
}

}  // namespace

CoreVectors expected_results(const schedule::CollectiveSchedule& schedule, const CoreVectors& operands) {
  const auto elements = std::size_t(schedule.request().elements);
  const CollectiveTraits& kind = traits(schedule.request().kind);
  const std::vector<std::vector<double>> sums = group_sums(schedule, operands);
  CoreVectors results = operands;
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    const auto& ranks = schedule.ranks(core);
    const auto rank = std::size_t(std::ranges::find(ranks, core) - ranks.begin());
    const std::size_t block = (elements + ranks.size() - 1) / ranks.size();
    std::vector<double>& result = results[std::size_t(core)];
    result.clear();
    if (kind.reduces) {
      result = sums[std::size_t(schedule.member(core).group)];
      if (!kind.result_is_block) continue;
      const std::size_t first = std::min(elements, rank * block), end = std::min(elements, first + block);
      result = std::vector(result.begin() + std::ptrdiff_t(first), result.begin() + std::ptrdiff_t(end));
    } else if (kind.personal) {
      // Block `rank` of every rank, as long as the block that it replaces.
      for (std::size_t i = 0; i < elements; ++i) {
        const std::size_t from = i / block, there = rank * block + i % block;
        const auto& values = operands[std::size_t(ranks[from])];
        result.push_back(there < values.size() ? values[there] : 0);
      }
    } else {
      for (const std::int32_t source : sources(schedule, core)) {
        const auto& values = operands[std::size_t(source)];
        result.insert(result.end(), values.begin(), values.end());
      }
    }
  }
  return results;
}

}  // namespace podsim::sw::collectives::engine
