// SPDX-License-Identifier: Apache-2.0
#include "hw/vmem.h"

#include "noc/systemc_time.h"

namespace podsim::hw {

Vmem::Vmem(sc_core::sc_module_name name, base::Bytes capacity, const std::string& place, const Trace& trace)
    : sc_module(name), account_(capacity, place), used_(trace.probe<std::int64_t>("used_bytes")) {
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

void Vmem::show() { used_.set(noc::now(), account_.used().value()); }

}  // namespace podsim::hw
