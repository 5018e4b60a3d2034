// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "hw/energy/part_values.h"
#include "hw/energy/static_power.h"
#include "sw/runtime/run_result.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::energy {

/// Joules of the last step, of all chips of the slice unless said. They follow from what was counted (StepActivity) and
/// from the time of the step, so they are the same at all levels of detail and however chips and trips are reduced.
struct StepEnergy {
  std::int64_t chips = 0;
  std::int64_t cores = 0;  ///< of a chip
  double seconds = 0;      ///< of the step
  hw::energy::PartValues events = {}, always = {};
  hw::energy::PartValues watts = {};  ///< always, of a chip, mean of the step
  std::map<int, double> items = {};   ///< events of the reported core in one execution, by index into Program::items
  double peak_watts = 0;              ///< of the reported core's chip in the op that takes most

  double joules() const { return hw::energy::sum(events) + hw::energy::sum(always); }
  double chip_watts() const { return seconds > 0 ? joules() / seconds / double(chips) : 0; }
  /// Joules of an item of the reported core: its events, and what the core's share of a chip always draws meanwhile.
  double of(const ItemResult& item) const;
};

StepEnergy step_energy(const TargetMachine& machine, const RunResult& result, std::int64_t chips);

}  // namespace podsim::sw::runtime::energy
