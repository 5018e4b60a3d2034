// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/results/result_pipeline.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::bundle::results {

ResultPipeline::ResultPipeline(base::Cycles interval, base::Cycles latency, std::int64_t slots)
    : interval_(interval),
      latency_(latency),
      ready_(std::size_t(slots)),
      popped_at_(std::size_t(slots)),
      last_ready_(base::Cycles(0) - interval),
      last_enter_(base::Cycles(0) - interval) {}

Readiness ResultPipeline::ready_to_enter(std::int64_t results, base::Cycles now) const {
  const auto slots = std::int64_t(ready_.size());
  if (results > slots) return Readiness::illegal("more results than the result FIFO holds");
  const base::Cycles free = std::max(now, last_enter_ + interval_);
  const std::int64_t must_be_popped = entered_ + results - slots;
  if (must_be_popped > popped_) return Readiness::never("the result FIFO is full");
  if (results == 0 || must_be_popped <= 0) return Readiness::from(free);
  return Readiness::from(std::max(free, popped_at_[slot(must_be_popped - 1)] + base::Cycles(1)));
}

void ResultPipeline::enter(std::int64_t results, base::Cycles now) {
  assert(ready_to_enter(results, now).kind == Readiness::Kind::at && ready_to_enter(results, now).cycle == now);
  last_enter_ = now;
  busy_ += interval_;
  for (std::int64_t i = 0; i < results; ++i) {
    last_ready_ = std::max(now + latency_, last_ready_ + interval_);
    ready_[slot(entered_++)] = last_ready_;
  }
}

Readiness ResultPipeline::ready_to_pop(base::Cycles now) const {
  if (popped_ == entered_) return Readiness::illegal("no result is on its way");
  return Readiness::from(std::max(now, ready(popped_)));
}

void ResultPipeline::pop(base::Cycles now) {
  assert(popped_ < entered_ && ready(popped_) <= now);
  popped_at_[slot(popped_++)] = now;
}

base::Cycles ResultPipeline::busy(base::Cycles now) const {
  return busy_ - std::max(base::Cycles(0), last_enter_ + interval_ - now);
}

}  // namespace podsim::hw::bundle::results
