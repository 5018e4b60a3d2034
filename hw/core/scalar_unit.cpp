// SPDX-License-Identifier: Apache-2.0
#include "hw/core/scalar_unit.h"

namespace podsim::hw::core {

ScalarUnit::ScalarUnit(sc_core::sc_module_name name, const CoreTime& time, const Trace& trace)
    : sc_module(name), time_(time), trace_(trace.states()) {
  from_sequencer.bind(*this);
}

base::Cycles ScalarUnit::start(base::Cycles now, const base::Cycles& work, std::string_view) {
  if (work == base::Cycles(0)) return now;
  busy_ += work;
  if (trace_) trace_->show({{time_.time_of(now), "run"}}, time_.time_of(now + work));
  return now + work;
}

}  // namespace podsim::hw::core
