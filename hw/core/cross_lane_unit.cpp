// SPDX-License-Identifier: Apache-2.0
#include "hw/core/cross_lane_unit.h"

namespace podsim::hw::core {

CrossLaneUnit::CrossLaneUnit(sc_core::sc_module_name name, const timing::CrossLaneTiming& timing, const CoreTime& time,
                             const Trace& trace)
    : sc_module(name), timing_(timing), time_(time), trace_(trace.states()), timeline_(trace.timeline) {
  from_sequencer.bind(*this);
  if (timeline_ != nullptr) track_ = timeline_->track(trace.scope, "cross-lane unit");
}

base::Cycles CrossLaneUnit::start(base::Cycles now, const std::int64_t& ops, std::string_view op) {
  const base::Cycles end = now + timing_.duration(ops);
  if (end == now) return end;
  busy_ += end - now;
  if (trace_) trace_->show({{time_.time_of(now), "run"}}, time_.time_of(end));
  if (timeline_ != nullptr) timeline_->span(track_, op, "cross-lane", time_.time_of(now), time_.time_of(end));
  return end;
}

}  // namespace podsim::hw::core
