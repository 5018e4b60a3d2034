// SPDX-License-Identifier: Apache-2.0
// Part of report/run/job_report.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "report/run/job_report.h"

namespace podsim::report::run {
namespace {

constexpr std::int64_t max_rounds = 1000;  ///< of a training, that are shown

/// Adds the phases before the first sample and returns when they have ended.
base::Time add_start(base::trace::Timeline& timeline, const workloads::job::StartTime& start) {
  const std::array<std::pair<const char*, base::Duration>, 5> phases{{{"connect", start.connect},
                                                                      {"graph", start.graph},
                                                                      {"compile", start.compile},
                                                                      {"restore", start.restore},
                                                                      {"weights", start.weights}}};
  base::Time now;
  for (const auto& [name, duration] : phases) {
    const base::Time end = now + base::to_time(duration);
    if (end > now) timeline.span(timeline.track("job", "start"), name, "start", now, end);
    now = end;
  }
  return now;
}

}  // namespace

base::trace::Timeline job_timeline(const RunReport& r) {
  base::trace::Timeline timeline;
  const LoopReport& loop = *r.loop;
  const base::Time begin = r.training ? add_start(timeline, r.training->start) : base::Time(0);
  const base::Time end = begin + loop.record.end();
  for (const workloads::job::JobSpan& span : loop.record.spans()) {
    timeline.span(timeline.track(span.group, span.lane), span.name, span.lane, begin + span.begin, begin + span.end);
  }
  if (!r.training) return timeline;
  const auto rounds = std::min(std::int64_t(r.training->loops + 0.999), max_rounds);
  for (std::int64_t round = 2; round < rounds; ++round) {
    const base::Time from = end + loop.time.all() * (round - 2);
    timeline.span(timeline.track("job", "loop"), fmt::format("round {}", round + 1), "loop", from,
                  from + loop.time.all());
  }
  return timeline;
}

}  // namespace podsim::report::run
