// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "hw/parts/unit_list.h"
#include "hw/parts/vector/vector_events.h"
#include "hw/parts/vector/vector_timing.h"

namespace podsim::hw::parts::vector {

/// The vector unit of a core: loads, stores, ALUs and the transcendental unit, on registers of sublanes x lanes.
struct Unit {
  using Parameters = vector::Parameters;
  using Work = vector::Work;
  using Events = vector::Events;
  using Timing = VectorTiming;
  struct InMachine {
    Parameters vector;
  };

  static constexpr UnitNames names{.name = "vector",
                                   .title = "vector unit",
                                   .bound = "vector unit",
                                   .busy = "the vector unit works",
                                   .timeline = "vector",
                                   .color = base::trace::GtkwColor::green};
  static constexpr std::array states{"run"};

  template <class Machine>
  static Timing timing(const Machine& machine) {
    return {machine.vector, machine.tile_level.vector_loop};
  }
  template <class Machine>
  static Events events(const Machine&, const Work& work) {
    return {work.loads, work.stores, work.alu_ops, work.transcendentals};
  }
  template <class Machine>
  static double joules(const Machine& machine, const Events& events) {
    return machine.energy.unit_overhead * double(machine.vector.lanes * machine.vector.sublanes) *
           (double(events.alu_operations) * machine.energy.vector_lane +
            double(events.transcendentals) * machine.energy.transcendental_lane);
  }
  template <class Machine>
  static double area(const Machine& machine) {
    return double(machine.vector.lanes * machine.vector.sublanes * machine.vector.alus) * machine.area.vector_alu;
  }
  static VmemRegisters vmem(const Events& events) { return {events.loads, events.stores}; }
  static std::int64_t count(const InMachine&) { return 1; }
  template <class AnyMachine>
  static auto& parameters(AnyMachine& machine) {
    return machine.vector;
  }
};

}  // namespace podsim::hw::parts::vector
