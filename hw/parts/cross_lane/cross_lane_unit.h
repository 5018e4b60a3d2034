// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "hw/parts/cross_lane/cross_lane_events.h"
#include "hw/parts/cross_lane/cross_lane_timing.h"
#include "hw/parts/unit_list.h"

namespace podsim::hw::parts::cross_lane {

/// The cross-lane unit of a core (XLU): transposes, rotates and reduces lanes of registers.
struct Unit {
  using Parameters = cross_lane::Parameters;
  using Work = cross_lane::Work;
  using Events = cross_lane::Events;
  using Timing = CrossLaneTiming;
  struct InMachine {
    Parameters cross_lane;
  };

  static constexpr UnitNames names{.name = "cross_lane",
                                   .title = "cross-lane unit",
                                   .bound = "cross-lane unit",
                                   .busy = "the cross-lane unit works",
                                   .timeline = "cross-lane",
                                   .color = base::trace::GtkwColor::violet};
  static constexpr std::array states{"run"};

  template <class Machine>
  static Timing timing(const Machine& machine) {
    return {machine.cross_lane, machine.tile_level.cross_lane_phase};
  }
  template <class Machine>
  static Events events(const Machine&, const Work& work) {
    return {work.operations};
  }
  template <class Machine>
  static double joules(const Machine& machine, const Events& events) {
    return double(events.operations * machine.vector.lanes * machine.vector.sublanes) * machine.energy.cross_lane_lane;
  }
  template <class Machine>
  static double area(const Machine& machine) {
    return double(machine.vector.lanes * machine.vector.sublanes) * machine.area.cross_lane;
  }
  static VmemRegisters vmem(const Events&) { return {}; }
  static std::int64_t count(const InMachine&) { return 1; }
  template <class AnyMachine>
  static auto& parameters(AnyMachine& machine) {
    return machine.cross_lane;
  }
};

}  // namespace podsim::hw::parts::cross_lane
