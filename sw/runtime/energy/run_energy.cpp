// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/energy/run_energy.h"

#include <algorithm>

#include "hw/energy/event_energy.h"

namespace podsim::sw::runtime::energy {
namespace {

double seconds_of(base::Time time) { return base::to_duration(time).si(); }

/// Shares of the step in which the units of the reported core work.
hw::energy::BusyShares busy_shares(const TargetMachine& machine, const RunResult& result) {
  hw::energy::BusyShares shares;
  const double step = seconds_of(result.step_time);
  hw::CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    double cycles = 0;
    for (const ItemResult& item : result.items) {
      cycles += double(item.times) * double(item.cost.busy.template of<Unit>().value());
    }
    const auto units = double(std::max<std::int64_t>(1, Unit::count(machine)));
    shares.template of<Unit>().value = step > 0 ? std::min(1.0, cycles / units / machine.clock.si() / step) : 0;
  });
  return shares;
}

}  // namespace

double StepEnergy::of(const ItemResult& item) const {
  const auto known = items.find(item.item);
  const double own = known == items.end() ? 0 : known->second;
  return double(item.times) * own + seconds_of(item.total()) * hw::energy::sum(watts) / double(cores);
}

StepEnergy step_energy(const TargetMachine& machine, const RunResult& result, std::int64_t chips) {
  StepEnergy energy{.chips = chips, .cores = machine.cores_per_chip, .seconds = seconds_of(result.step_time)};
  energy.events = hw::energy::event_joules(machine, result.activity.slice);
  energy.watts = hw::energy::static_watts(machine, busy_shares(machine, result));
  hw::energy::add(energy.watts, energy.seconds * double(chips), energy.always);
  for (const auto& [item, activity] : result.activity.items) {
    energy.items[item] = hw::energy::event_total(machine, activity);
  }
  const double always = hw::energy::sum(hw::energy::static_watts(machine));  // no unit is off where the peak is
  energy.peak_watts = hw::energy::sum(energy.watts);
  for (const ItemResult& item : result.items) {
    if (item.cost.cycles <= base::Cycles(0) || item.duration <= base::Time(0)) continue;
    const double events = energy.items[item.item];
    energy.peak_watts = std::max(energy.peak_watts, always + double(energy.cores) * events / seconds_of(item.duration));
  }
  return energy;
}

}  // namespace podsim::sw::runtime::energy
