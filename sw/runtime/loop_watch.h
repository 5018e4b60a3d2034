// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace podsim::sw {

/// Watches all cores go around one loop and finds out when they repeat themselves. Once two trips in a row took every
/// core equally long, to 0.05 % (where groups are lines their ends settle over several trips), the trips that follow
/// are taken to be as long as the last: cores stand to each other as they did a trip before, and nothing else changes
/// from trip to trip. All but the last of them are then skipped, by every core at the same trip.
class LoopWatch {
 public:
  LoopWatch(std::int64_t trips, std::size_t cores) : trips_(trips), cores_(cores) {}

  /// A core begins a trip (the first is 0). The trips that it is to skip, this one and following ones; all cores get
  /// the same answer for a trip. The first core to begin a trip decides.
  std::int64_t begin_trip(std::size_t core, std::int64_t trip, base::Cycles now);
  /// What a skipped trip takes.
  base::Cycles period() const { return period_; }

 private:
  struct Trip {
    std::int64_t number = -1;
    std::vector<base::Cycles> begin;  ///< by core
    std::size_t begun = 0;            ///< cores
  };

  const Trip& before(std::int64_t trip) const { return recent_[std::size_t(trip) % recent_.size()]; }
  bool repeats(std::int64_t trip) const;

  std::int64_t trips_;
  std::size_t cores_;
  std::vector<Trip> recent_ = std::vector<Trip>(4);  ///< by trip number modulo their count
  std::int64_t decided_ = 2;                         ///< up to this trip
  std::int64_t skipped_from_ = -1;
  base::Cycles period_;
};

}  // namespace podsim::sw
