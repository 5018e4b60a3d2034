// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/chip.h"

#include <stdexcept>

namespace podsim::hw::chip {

Chip::Chip(sc_core::sc_module_name name, const Machine& machine, int number, const Trace& trace, const IciBinding& ici,
           const noc::ChipSpeed& speed, memory::MemoryDetail memory)
    : sc_module(name),
      number_(number),
      host_("host", machine.host, machine.cores_per_chip, trace.below("host")),
      claims_(machine, speed) {
  transfers.bind(*this);
  if (memory == memory::MemoryDetail::stream) {
    switch_ = std::make_unique<noc::chip_switch::MessageSwitch>("switch", machine.chip_switch, machine.clock,
                                                                int(machine.cores_per_chip), trace.sink,
                                                                trace.below("switch").scope);
  }
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

MoveEnd Chip::move(base::Time now, const Move& move) {
  return {claimed_end(
      now, move, [&](int core, Direction direction) { return claim(now, core, direction, move.bytes); },
      [&] { return switch_->transfers->pass(now, move.from.core, move.to.core, move.bytes).arrival; })};
}

}  // namespace podsim::hw::chip
