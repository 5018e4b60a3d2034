// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/chip.h"

#include <cassert>

namespace podsim::hw::chip {

Chip::Chip(sc_core::sc_module_name name, const Machine& machine, int number, const Trace& trace)
    : sc_module(name), number_(number), host_("host", machine.host, machine.cores_per_chip, trace.below("host")) {}

noc::ici::IciPort& Chip::connect(noc::ici::MessageFabric& fabric, noc::NodeId node) {
  assert(ici_ == nullptr);
  ici_ = std::make_unique<noc::ici::IciPort>((std::string(basename()) + "_ici").c_str(), node);
  ici_->bind(fabric);
  return *ici_;
}

}  // namespace podsim::hw::chip
