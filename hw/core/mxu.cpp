// SPDX-License-Identifier: Apache-2.0
#include "hw/core/mxu.h"

namespace podsim::hw::core {

Mxu::Mxu(sc_core::sc_module_name name, const timing::MxuTiming& timing, std::int64_t unit, const CoreTime& time,
         const Trace& trace)
    : sc_module(name), timing_(timing), unit_(unit), time_(time), trace_(trace.states()), timeline_(trace.timeline) {
  from_sequencer.bind(*this);
  if (timeline_ != nullptr) track_ = timeline_->track(trace.scope, "matrix unit");
}

base::Cycles Mxu::start(base::Cycles now, const MxuWork& work, std::string_view op) {
  const timing::MxuTiming::Span span = timing_.span(work, unit_);
  const base::Cycles end = now + span.total();
  if (end == now) return end;
  busy_ += span.total();
  if (trace_) {
    trace_->show({{time_.time_of(now), "load weights"},
                  {time_.time_of(now + span.load), "stream"},
                  {time_.time_of(now + span.load + span.stream), "drain"}},
                 time_.time_of(end));
  }
  if (timeline_ != nullptr) timeline_->span(track_, op, "matrix", time_.time_of(now), time_.time_of(end));
  return end;
}

}  // namespace podsim::hw::core
