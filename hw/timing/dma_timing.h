// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "hw/machine.h"
#include "hw/memory_levels.h"
#include "hw/timing/hbm_stream.h"

namespace podsim::hw::timing {

/// Computes when a descriptor's data reach the HBM, in cycles of the core clock. Descriptors issue in order, one per
/// issue_interval, and each takes the latency of its direction, which overlaps with everything else:
///
///   issue = max(now, previous issue + issue_interval);  arrival = issue + latency(direction)
///
/// One descriptor per cycle is published. The latencies split the measured duration of the smallest ops. A declared
/// level of memory has a latency of its own, and the queue and the issue interval are the same.
class DmaTiming {
 public:
  explicit DmaTiming(const Machine& machine) : dma_(machine.dma) {
    for (const parts::level::Parameters& level : machine.levels) level_latencies_.push_back(level.latency);
  }

  /// Issues a descriptor given to the engine at `now`; returns the cycle in which the memory of this number
  /// (hw/memory_levels.h) may start to move its data.
  base::Cycles arrival(base::Cycles now, Direction direction, int memory) {
    const base::Cycles issue = std::max(now, free_at_);
    free_at_ = issue + dma_.issue_interval;
    if (memory != level::hbm) return issue + level_latencies_[std::size_t(memory - level::first_declared)];
    return issue + (direction == Direction::read ? dma_.read_latency : dma_.write_latency);
  }
  /// First cycle in which the next descriptor can be issued.
  base::Cycles free_at() const { return free_at_; }
  std::int64_t queue_depth() const { return dma_.queue_depth; }

 private:
  parts::dma::Parameters dma_;
  std::vector<base::Cycles> level_latencies_;  ///< of declared levels
  base::Cycles free_at_;
};

}  // namespace podsim::hw::timing
