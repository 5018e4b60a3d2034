// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "hw/parts/scalar/scalar_events.h"
#include "hw/parts/scalar/scalar_parameters.h"
#include "hw/parts/unit_list.h"

namespace podsim::hw::parts::scalar {

struct Unit;

/// Scalar code of one phase, such as looking up rows and issuing a DMA for each.
struct Work {
  using Of = Unit;
  base::Cycles cycles = {};
  bool operator==(const Work&) const = default;

  /// Calls visit(count of each of `works`...) for each count.
  template <class Visit, class... Works>
  static constexpr void for_each_count(const Visit& visit, Works&... works) {
    visit(works.cycles...);
  }
};

/// At tile level scalar code is a number of cycles.
class ScalarTiming {
 public:
  base::Cycles duration(const Work& work) const { return work.cycles; }
  /// By state (Unit::states), of instance 0.
  std::array<base::Cycles, 1> parts(const Work& work, std::int64_t) const { return {work.cycles}; }
};

/// The scalar unit of a core. At tile level it runs the scalar code of a phase, and the code between tiles that
/// determines the next tile and prepares descriptors (hw/timing/control_timing.h).
struct Unit {
  using Parameters = scalar::Parameters;
  using Work = scalar::Work;
  using Events = scalar::Events;
  using Timing = ScalarTiming;
  struct InMachine {
    Parameters scalar;
  };

  static constexpr UnitNames names{.name = "scalar",
                                   .title = "scalar unit",
                                   .bound = nullptr,
                                   .busy = nullptr,
                                   .timeline = nullptr,
                                   .color = base::trace::GtkwColor::normal};
  static constexpr std::array states{"run"};

  template <class Machine>
  static Timing timing(const Machine&) {
    return {};
  }
  template <class Machine>
  static Events events(const Machine&, const Work& work) {
    return {work.cycles};
  }
  template <class Machine>
  static double joules(const Machine& machine, const Events& events) {
    return double(events.cycles.value()) * machine.energy.scalar_cycle;
  }
  template <class Machine>
  static double area(const Machine& machine) {
    return machine.area.scalar;
  }
  static VmemRegisters vmem(const Events&) { return {}; }
  static std::int64_t count(const InMachine&) { return 1; }
  template <class AnyMachine>
  static auto& parameters(AnyMachine& machine) {
    return machine.scalar;
  }
};

}  // namespace podsim::hw::parts::scalar
