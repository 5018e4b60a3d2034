// SPDX-License-Identifier: Apache-2.0
#include "hw/core/vmem.h"

#include "base/systemc/systemc_time.h"

namespace podsim::hw::core {

Vmem::Vmem(sc_core::sc_module_name name, base::Bytes capacity, const std::string& core_name, const Trace& trace)
    : sc_module(name), account_(capacity, core_name), used_(trace.probe<std::int64_t>("used_bytes")) {
  from_sequencer.bind(*this);
  show();
}

void Vmem::allocate(std::string_view op, base::Bytes bytes) {
  account_.allocate(op, bytes);
  show();
}

void Vmem::release(base::Bytes bytes) {
  account_.release(bytes);
  show();
}

void Vmem::show() { used_.set(base::systemc::now(), account_.used().value()); }

}  // namespace podsim::hw::core
