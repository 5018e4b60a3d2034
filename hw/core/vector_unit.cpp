// SPDX-License-Identifier: Apache-2.0
#include "hw/core/vector_unit.h"

namespace podsim::hw::core {

VectorUnit::VectorUnit(sc_core::sc_module_name name, const timing::VectorTiming& timing, const CoreTime& time,
                       const Trace& trace)
    : sc_module(name), timing_(timing), time_(time), trace_(trace.states()), timeline_(trace.timeline) {
  from_sequencer.bind(*this);
  if (timeline_ != nullptr) track_ = timeline_->track(trace.scope, "vector unit");
}

base::Cycles VectorUnit::start(base::Cycles now, const VectorWork& work, std::string_view op) {
  const base::Cycles end = now + timing_.duration(work);
  if (end == now) return end;
  busy_ += end - now;
  if (trace_) trace_->show({{time_.time_of(now), "run"}}, time_.time_of(end));
  if (timeline_ != nullptr) timeline_->span(track_, op, "vector", time_.time_of(now), time_.time_of(end));
  return end;
}

}  // namespace podsim::hw::core
