// SPDX-License-Identifier: Apache-2.0
#include "hw/core/scalar_unit.h"

namespace podsim::hw::core {

ScalarUnit::ScalarUnit(sc_core::sc_module_name name, const CoreTime& time, const Trace& trace)
    : sc_module(name), trace_(UnitTrace::make("trace", time, trace)) {
  from_sequencer.bind(*this);
}

base::Cycles ScalarUnit::start(base::Cycles now, const base::Cycles& work, std::string_view) {
  if (work == base::Cycles(0)) return now;
  busy_ += work;
  if (trace_) trace_->show({{now, "run"}}, now + work);
  return now + work;
}

}  // namespace podsim::hw::core
