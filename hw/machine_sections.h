// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters/section.h"
#include "hw/machine.h"

/// The sections of a machine file, each with the record of a Machine that it fills.
namespace podsim::hw {

/// Calls visit(section, record) for all that the cost of an op on a core depends on: a core, its memory, and the code
/// between its tiles.
template <class AnyMachine, class Visit>
void for_each_core_section(AnyMachine& machine, const Visit& visit) {
  visit(Machine::core_section(), machine);
  CoreUnits::for_each([&](auto unit) {
    using Unit = typename decltype(unit)::type;
    visit(Unit::Parameters::section(), Unit::parameters(machine));
  });
  visit(parts::dma::Parameters::section(), machine.dma);
  visit(parts::hbm::DramParameters::section(), machine.dram);
  visit(parts::hbm::DramTiming::section(), machine.dram.timing);
  visit(parts::hbm::Parameters::section(), machine.hbm);
  for (auto& level : machine.levels) visit(parts::level::Parameters::section(level.name), level);
  visit(noc::ici::SwitchParameters::section(), machine.chip_switch);
  visit(TileLevelParameters::section(), machine.tile_level);
}

/// Calls visit(section, record) for every section.
template <class AnyMachine, class Visit>
void for_each_section(AnyMachine& machine, const Visit& visit) {
  for_each_core_section(machine, visit);
  visit(noc::ici::IciParameters::section(), machine.ici);
  visit(parts::host::Parameters::section(), machine.host);
  visit(PodParameters::section(), machine.pod);
  visit(parts::energy::Parameters::section(), machine.energy);
  visit(parts::energy::AreaParameters::section(), machine.area);
  visit(parts::energy::SiteParameters::section(), machine.site);
}

}  // namespace podsim::hw
