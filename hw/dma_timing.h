// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "hw/hbm_stream.h"
#include "hw/machine.h"

namespace podsim::hw {

/// When a descriptor's data reach the HBM, in cycles of the core clock: descriptors are issued in order, one per
/// issue_interval, and each takes the latency of its direction, which overlaps with everything else:
///
///   issue = max(now, previous issue + issue_interval);  arrival = issue + latency(direction)
///
/// One descriptor per cycle is published; the latencies split the measured duration of the smallest ops.
class DmaTiming {
 public:
  explicit DmaTiming(const Machine& machine) : dma_(machine.dma) {}

  /// The cycle in which the HBM may start to move the data of a descriptor given to the engine at `now`.
  base::Cycles arrival(base::Cycles now, Direction direction) {
    const base::Cycles issue = std::max(now, free_at_);
    free_at_ = issue + dma_.issue_interval;
    return issue + (direction == Direction::read ? dma_.read_latency : dma_.write_latency);
  }
  /// The first cycle in which the next descriptor could be issued.
  base::Cycles free_at() const { return free_at_; }
  std::int64_t queue_depth() const { return dma_.queue_depth; }

 private:
  DmaParameters dma_;
  base::Cycles free_at_;
};

}  // namespace podsim::hw
