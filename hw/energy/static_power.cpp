// SPDX-License-Identifier: Apache-2.0
#include "hw/energy/static_power.h"

#include "hw/energy/chip_area.h"
#include "hw/energy/operating_point.h"

namespace podsim::hw::energy {

PartValues static_watts(const Machine& machine, const BusyShares& busy) {
  const parts::energy::Parameters& energy = machine.energy;
  const OperatingPoint point(machine);
  const double density = energy.leakage * point.voltage + energy.clock_tree * point.ghz * point.voltage * point.voltage;
  PartValues watts = chip_area(machine);
  for (PartValue& part : watts) part.value *= density;
  if (energy.gate_idle) {
    CoreUnits::for_each([&](auto kind) {
      using Unit = typename decltype(kind)::type;
      const double works = busy.template of<Unit>().value;
      for (PartValue& part : watts) {
        if (part.part == Unit::names.name) part.value *= works + (1 - works) * energy.gated_share;
      }
    });
  }
  add(supply_watts(machine), 1, watts);
  return watts;
}

PartValues supply_watts(const Machine& machine) {
  const auto channels = double(machine.cores_per_chip * machine.dram.organization.channels);
  return {{"hbm", channels * machine.energy.hbm_standby},
          {"ici", links_of_chip(machine) * machine.ici.link_rate.si() * 8 * machine.energy.serdes_bit}};
}

double idle_watts(const Machine& machine) {
  BusyShares busy;
  CoreUnits::for_each([&](auto kind) { busy.of<typename decltype(kind)::type>().value = 0; });
  return sum(static_watts(machine, busy));
}

}  // namespace podsim::hw::energy
