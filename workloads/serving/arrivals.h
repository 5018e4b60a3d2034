// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/goodput/random_times.h"
#include "workloads/serving/request.h"

namespace podsim::workloads::serving {

/// How requests follow each other. The gaps between them have the mean 1 / rate and the standard deviation cv / rate,
/// and are drawn independently from the gamma distribution: cv 1 is a Poisson process, 0 a constant gap, above 1
/// requests come in bursts.
struct ArrivalLaw {
  double rate = 1;  ///< requests per second
  double cv = 1;    ///< coefficient of variation of the gaps
};

/// The arrivals of a law, one after another, by a seed. The same seed with another rate has the same gaps, scaled.
class Arrivals {
 public:
  Arrivals(const ArrivalLaw& law, std::uint64_t seed) : law_(law), random_(seed) {}
  /// InputError beyond longest_time.
  Nanoseconds next();

 private:
  double gap();

  ArrivalLaw law_;
  goodput::RandomTimes random_;
  double at_ = 0;  ///< of the last request, in mean gaps
};

}  // namespace podsim::workloads::serving
