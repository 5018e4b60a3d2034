// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/parameters/section_of.h"
#include "base/units.h"
#include "hw/parts/counter.h"
#include "hw/parts/custom/custom_unit.h"
#include "hw/parts/unit_list.h"

/// The position of a registered unit (custom_unit.h) among the units of hw/core_units.h. Without one the list passes it
/// over.
namespace podsim::hw::parts::custom {

struct Parameters {  ///< the section of the registered unit
  CustomValues values;

  static const base::parameters::Section<Parameters>& section();
};

struct Unit;

/// Work of one phase, as the unit counts it.
struct Work {
  using Of = Unit;
  std::int64_t amount = 0;
  bool operator==(const Work&) const = default;

  /// Calls visit(count of each of `works`...) for each count.
  template <class Visit, class... Works>
  static constexpr void for_each_count(const Visit& visit, Works&... works) {
    visit(works.amount...);
  }
};

/// The law of the registered unit. No work takes no time.
class CustomTiming {
 public:
  explicit CustomTiming(const Parameters& parameters) : unit_(custom_unit()), values_(parameters.values) {}
  base::Cycles duration(const Work& work) const {
    return work.amount <= 0 ? base::Cycles(0) : unit_->duration(work.amount, values_);
  }
  /// By state (Unit::states), of instance 0.
  std::array<base::Cycles, 1> parts(const Work& work, std::int64_t) const { return {duration(work)}; }

 private:
  const CustomUnit* unit_;
  CustomValues values_;
};

/// The work, counted.
struct Events {
  std::int64_t work = 0;
  bool operator==(const Events&) const = default;

  /// Calls visit(its declaration, count of each of `events`...) for each count.
  template <class Visit, class... Of>
  static void for_each_count(const Visit& visit, Of&... events) {
    visit(counter, events.work...);
  }
  static inline Counter counter{};
};

struct Unit {
  using Parameters = custom::Parameters;
  using Work = custom::Work;
  using Events = custom::Events;
  using Timing = CustomTiming;
  struct InMachine {
    Parameters custom;
  };

  /// Set when a unit is registered, which makes it present.
  static inline UnitNames names{};
  static constexpr std::array states{"run"};
  static bool present() { return names.name != nullptr; }

  template <class Machine>
  static Timing timing(const Machine& machine) {
    return Timing(machine.custom);
  }
  template <class Machine>
  static Events events(const Machine&, const Work& work) {
    return {work.amount};
  }
  template <class Machine>
  static double joules(const Machine&, const Events& events) {
    return custom_unit()->joules(events.work);
  }
  template <class Machine>
  static double area(const Machine&) {
    return custom_unit()->area();
  }
  static VmemRegisters vmem(const Events& events) { return custom_unit()->vmem(events.work); }
  static std::int64_t count(const InMachine&) { return present() ? 1 : 0; }
  template <class AnyMachine>
  static auto& parameters(AnyMachine& machine) {
    return machine.custom;
  }
};

}  // namespace podsim::hw::parts::custom
