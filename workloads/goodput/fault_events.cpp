// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/fault_events.h"

#include <algorithm>

#include "workloads/goodput/random_times.h"

namespace podsim::workloads::goodput {
namespace {

constexpr double seconds_per_day = 86'400;

/// The failures of one source, in any order.
class SourceEvents {
 public:
  SourceEvents(const FaultSource& source, Nanoseconds horizon, std::uint64_t seed)
      : source_(source), end_(seconds(horizon)), random_(seed) {}

  void add_to(std::vector<FaultEvent>& events) {
    if (source_.units == 0 || source_.per_day == 0) return;
    const double mean = seconds_per_day / source_.per_day;
    if (source_.shape == 1) {
      // Exponential times have no memory: the failures of all units together are those of one that fails more often.
      const double mean_of_all = mean / double(source_.units);
      double time = random_.exponential(mean_of_all);
      while (time < end_) {
        add(events, time, random_.below(source_.units));
        time += random_.exponential(mean_of_all);
      }
      return;
    }
    for (std::int64_t unit = 0; unit < source_.units; ++unit) {
      double time = random_.residual(mean, source_.shape);
      while (time < end_) {
        add(events, time, unit);
        time += random_.weibull(mean, source_.shape);
      }
    }
  }

 private:
  void add(std::vector<FaultEvent>& events, double time, std::int64_t unit) {
    events.push_back({nanoseconds(base::Duration(time)), source_.cause, unit, random_.uniform()});
  }

  const FaultSource& source_;
  double end_;
  RandomTimes random_;
};

}  // namespace

std::string_view to_string(Cause cause) {
  switch (cause) {
    case Cause::chip:
      return "chip";
    case Cause::hbm:
      return "HBM, uncorrected";
    case Cause::hbm_worn:
      return "HBM, many corrected";
    case Cause::host:
      return "host";
    case Cause::software:
      return "software";
    case Cause::maintenance:
      return "maintenance";
    case Cause::cable:
      return "cable";
    case Cause::optics:
      return "optical link";
    case Cause::silent:
      break;
  }
  return "silent corruption";
}

std::vector<FaultEvent> fault_events(std::span<const FaultSource> sources, Nanoseconds horizon, std::uint64_t seed) {
  std::vector<FaultEvent> events;
  for (const FaultSource& source : sources) {
    SourceEvents(source, horizon, seed_of(seed, std::uint64_t(source.cause))).add_to(events);
  }
  std::ranges::stable_sort(events, {}, &FaultEvent::time);
  return events;
}

}  // namespace podsim::workloads::goodput
