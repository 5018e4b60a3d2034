// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/expert_load.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/goodput/random_times.h"

namespace podsim::workloads::serving {
namespace {

constexpr int draws = 64;
constexpr std::uint64_t routing_stream = 72;  ///< apart from those of arrivals, lengths and drafts

/// The share of the experts up to each rank.
std::vector<double> shares_up_to(const ExpertLaw& law) {
  std::vector<double> sums;
  double sum = 0;
  for (std::int64_t rank = 1; rank <= law.experts; ++rank) sums.push_back(sum += std::pow(double(rank), -law.skew));
  for (double& share : sums) share /= sum;
  sums.back() = 1;
  return sums;
}

/// The expert at a position between 0 and 1 among the shares.
std::size_t expert_at(const std::vector<double>& sums, double position) {
  return std::size_t(std::ranges::upper_bound(sums, position) - sums.begin());
}

/// Another expert than `first`: its share is left out of those that are drawn from.
std::size_t another(const std::vector<double>& sums, std::size_t first, double uniform) {
  const double begin = first == 0 ? 0 : sums[first - 1], share = sums[first] - begin;
  double position = uniform * (1 - share);
  if (position >= begin) position += share;
  const std::size_t found = std::min(expert_at(sums, position), sums.size() - 1);
  if (found != first) return found;
  return first + 1 < sums.size() ? first + 1 : first - 1;  // by rounding
}

}  // namespace

std::int64_t tokens_of_busiest(const ExpertLaw& law, std::int64_t tokens) {
  if (law.experts < 2) return std::max<std::int64_t>(tokens, 1);
  const std::vector<double> sums = shares_up_to(law);
  goodput::RandomTimes random(goodput::seed_of(goodput::seed_of(law.seed, routing_stream), std::uint64_t(tokens)));
  std::int64_t sum = 0;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<std::int64_t> loads(sums.size());
    for (std::int64_t token = 0; token < tokens; ++token) {
      const std::size_t first = std::min(expert_at(sums, random.uniform()), sums.size() - 1);
      ++loads[first];
      ++loads[another(sums, first, random.uniform())];
    }
    sum += std::ranges::max(loads);
  }
  return std::max<std::int64_t>((sum + draws - 1) / draws, 1);
}

}  // namespace podsim::workloads::serving
