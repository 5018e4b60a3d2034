// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/chip.h"

#include <stdexcept>

namespace podsim::hw::chip {

Chip::Chip(sc_core::sc_module_name name, const Machine& machine, int number, const Trace& trace, const IciBinding& ici,
           double speed)
    : sc_module(name),
      number_(number),
      host_("host", machine.host, machine.cores_per_chip, trace.below("host")),
      switch_("switch", machine.chip_switch, machine.clock, int(machine.cores_per_chip), trace.sink,
              trace.below("switch").scope),
      claims_(machine, speed) {
  transfers.bind(*this);
  if (!ici) return;
  ici_ = std::make_unique<noc::ici::IciPort>("ici", number);
  ici(*ici_);
}

core::Core& Chip::core(int) { throw std::logic_error("this chip has no cores"); }

void Chip::set_contended(bool contended) {
  contended_ = contended;
  claims_.set_contended(contended);
}

base::Time Chip::claim(base::Time now, int core, Direction direction, base::Bytes bytes) {
  return occupancy(core).claim(now, direction, bytes);
}

noc::chip_switch::SwitchPassage Chip::pass(base::Time now, int from, int to, base::Bytes bytes) {
  return switch_.transfers->pass(now, from, to, bytes);
}

}  // namespace podsim::hw::chip
