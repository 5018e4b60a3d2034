// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace podsim::sw::runtime {

/// Watches the trips of all cores through one loop and finds when they repeat. The condition is that two consecutive
/// trips took the same time on every core, to 0.05 % or 4 cycles. (In groups that are lines, the ends take several
/// trips to settle.) Then the following trips are taken to be as long as the last one, since cores have the same
/// offsets as a trip before and nothing else changes from trip to trip. All of them except the last trip of the loop
/// are skipped, by every core at the same trip.
class LoopWatch {
 public:
  LoopWatch(std::int64_t trips, std::size_t cores) : trips_(trips), cores_(cores) {}

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

  std::int64_t trips_;
  std::size_t cores_;
  std::vector<Trip> recent_ = std::vector<Trip>(4);  ///< at index trip number modulo size
  std::int64_t decided_ = 2;                         ///< trips up to this one are decided
  std::int64_t skipped_from_ = -1;
  base::Cycles period_;
};

}  // namespace podsim::sw::runtime
