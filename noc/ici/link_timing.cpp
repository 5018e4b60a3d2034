// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/link_timing.h"

#include <algorithm>

namespace podsim::noc::ici {

LinkTiming::LinkTiming(const IciParameters& ici, bool crosses_pod, double speed)
    : payload_rate_(ici.payload_rate() * speed),
      latency_(base::to_time(ici.hop_latency + (crosses_pod ? ici.cross_pod_latency : base::Duration()))) {}

LinkPassage LinkTiming::pass(base::Time head, base::Time tail, base::Bytes bytes) {
  base::Time start = std::max(head, free_at_);
  free_at_ = std::max(start + serialisation(bytes), tail);
  busy_ += free_at_ - start;
  bytes_ += bytes;
  ++messages_;
  return {.start = start, .tail_out = free_at_, .head_at_next = start + latency_, .tail_at_next = free_at_ + latency_};
}

void LinkTiming::count(const LinkTiming& carried) {
  busy_ += carried.busy_;
  bytes_ += carried.bytes_;
  messages_ += carried.messages_;
}

}  // namespace podsim::noc::ici
