// SPDX-License-Identifier: Apache-2.0
#include "hw/input/pipeline_recurrence.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::input {

PipelineRecurrence::PipelineRecurrence(const std::vector<Stage>& stages, std::int64_t prepared, std::uint64_t seed,
                                       std::int64_t host)
    : taken_(std::size_t(prepared)) {
  assert(!stages.empty() && prepared > 0);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    servers_.push_back(
        {ServiceTimes(stages[i], seed, host, i), {}, {}, {}, {}, std::vector<base::Time>(stages[i].depth)});
  }
}

base::Time PipelineRecurrence::prepare() {
  const auto slot = [this](const std::vector<base::Time>& times) {
    return std::size_t(batches_ % std::int64_t(times.size()));
  };
  assert(batches_ < takes_ + std::int64_t(taken_.size()));
  base::Time arrived;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    Server& server = servers_[i];
    const base::Time start = std::max(arrived, server.left);
    server.started[slot(server.started)] = start;
    const base::Time time = server.times.next();
    server.busy += time;
    server.began = start;
    server.done = start + time;
    // A slot still has the time of the batch that must have moved on before this one gets it.
    const std::vector<base::Time>& next = i + 1 < servers_.size() ? servers_[i + 1].started : taken_;
    arrived = server.left = std::max(start + time, next[slot(next)]);
  }
  ++batches_;
  return arrived;
}

void PipelineRecurrence::take(base::Time when) {
  assert(takes_ < batches_);
  taken_[std::size_t(takes_++ % std::int64_t(taken_.size()))] = when;
}

}  // namespace podsim::hw::input
