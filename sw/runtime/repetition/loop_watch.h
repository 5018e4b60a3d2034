// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace podsim::sw::runtime::repetition {

/// Watches the trips of all cores through one loop and finds when they repeat. The condition is that two consecutive
/// trips took the same time on every core, to 0.05 % or 4 cycles. (In groups that are lines, the ends take several
/// trips to settle.) Then the following trips are taken to be as long as the last one, since cores have the same
/// offsets as a trip before and nothing else changes from trip to trip. All of them except the last trip of the loop
/// are skipped, by every core at the same trip.
class LoopWatch {
 public:
  /// When each core begins a trip that repeats, after the first core, and how long it takes.
  struct SteadyState {
    std::vector<base::Cycles> delays;
    base::Cycles period;
  };
  using SteadyStates = std::vector<SteadyState>;

  /// With `known`, trips also repeat if all cores have begun the one before as in one of these states, which are of the
  /// same items; it receives the state that is found. It outlives the watch.
  LoopWatch(std::int64_t trips, std::size_t cores, SteadyStates* known = nullptr)
      : trips_(trips), cores_(cores), known_(known) {}

  /// Called when a core begins a trip; the first trip is 0. Returns the number of trips to skip, beginning with this
  /// one. All cores get the same result for a trip; the first core to begin it decides.
  std::int64_t begin_trip(std::size_t core, std::int64_t trip, base::Cycles now);
  /// Duration of a skipped trip.
  base::Cycles period() const { return period_; }

 private:
  struct Trip {
    std::int64_t number = -1;
    std::vector<base::Cycles> begin;  ///< by core
    std::size_t begun = 0;            ///< number of cores that began the trip
  };

  const Trip& before(std::int64_t trip) const { return recent_[std::size_t(trip) % recent_.size()]; }
  bool repeats(std::int64_t trip) const;
  const SteadyState* known_state(std::int64_t trip) const;
  void keep_state(std::int64_t trip);

  std::int64_t trips_;
  std::size_t cores_;
  std::vector<Trip> recent_ = std::vector<Trip>(4);  ///< at index trip number modulo size
  SteadyStates* known_;
  std::int64_t decided_ = 0;  ///< trips up to this one are decided
  std::int64_t skipped_from_ = -1;
  base::Cycles period_;
};

}  // namespace podsim::sw::runtime::repetition
