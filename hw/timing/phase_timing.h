// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "hw/machine.h"
#include "hw/tile_op.h"

namespace podsim::hw::timing {

template <class Unit>
using TimingOf = typename Unit::Timing;
template <class Unit>
using CountOf = std::int64_t;

/// Timing of one core's units. Within a phase the units and the scalar code run concurrently, so the phase lasts as
/// long as the longest of them; the phases of a tile run in sequence. Durations are in cycles of the core clock.
class PhaseTiming {
 public:
  explicit PhaseTiming(const Machine& machine)
      : timings_(CoreUnits::make<TimingOf>([&](auto unit) { return decltype(unit)::type::timing(machine); })),
        counts_(CoreUnits::make<CountOf>([&](auto unit) { return decltype(unit)::type::count(machine); })) {}

  base::Cycles duration(const TilePhase& phase) const {
    base::Cycles longest;
    CoreUnits::for_each([&](auto unit) {
      using Unit = typename decltype(unit)::type;
      longest = std::max(longest, timings_.of<Unit>().duration(phase.of<Unit>()));
    });
    return longest;
  }
  base::Cycles duration(const std::vector<TilePhase>& phases) const {
    base::Cycles total;
    for (const TilePhase& phase : phases) total += duration(phase);
    return total;
  }

  /// Adds the cycles for which each unit works in a phase.
  void add_busy(const TilePhase& phase, UnitCycles& busy) const {
    CoreUnits::for_each([&](auto unit) {
      using Unit = typename decltype(unit)::type;
      for (std::int64_t instance = 0; instance < counts_.of<Unit>(); ++instance) {
        for (const base::Cycles part : timings_.of<Unit>().parts(phase.of<Unit>(), instance)) busy.of<Unit>() += part;
      }
    });
  }

 private:
  CoreUnits::Per<TimingOf> timings_;
  CoreUnits::Per<CountOf> counts_;  ///< units of each kind in a core
};

}  // namespace podsim::hw::timing
