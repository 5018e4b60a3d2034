// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/outages.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/diagnostic.h"
#include "workloads/goodput/random_times.h"

namespace podsim::workloads::serving {
namespace {

constexpr std::uint64_t first_stream = 1000;  ///< of seeds: those before are of the load
constexpr std::size_t most_outages = 1'000'000;

}  // namespace

std::vector<Outage> joined(std::vector<Outage> outages) {
  std::ranges::sort(outages, {}, [](const Outage& of) { return std::tuple(of.replica, of.begin, of.end); });
  std::vector<Outage> result;
  for (const Outage& outage : outages) {
    if (!result.empty() && result.back().replica == outage.replica && outage.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, outage.end);
    } else {
      result.push_back(outage);
    }
  }
  std::ranges::sort(result, {}, [](const Outage& of) { return std::tuple(of.begin, of.replica); });
  return result;
}

std::vector<Outage> random_outages(std::int64_t replicas, base::Duration between, base::Duration repair,
                                   Nanoseconds until, std::uint64_t seed) {
  std::vector<Outage> outages;
  for (std::int64_t replica = 0; replica < replicas; ++replica) {
    goodput::RandomTimes random(goodput::seed_of(seed, first_stream + std::uint64_t(replica)));
    Nanoseconds at;
    while (true) {
      at += goodput::nanoseconds(base::Duration(random.exponential(between.si())));
      if (at >= until) break;
      const Nanoseconds end = at + std::max(goodput::nanoseconds(repair), Nanoseconds(1));
      if (outages.size() == most_outages) {
        throw base::InputError(fmt::format("replicas stop more than {} times while requests arrive", most_outages),
                               "a longer time between stops");
      }
      outages.push_back({int(replica), at, end});
      at = end;
    }
  }
  return joined(std::move(outages));
}

}  // namespace podsim::workloads::serving
