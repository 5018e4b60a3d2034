// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "base/trace/gtkw_color.h"

/// Units of a core as a list of types, and values that exist once for each of them. What a core consists of is one such
/// list (hw/core_units.h); the work of a phase, the laws of duration, ports, modules and counters follow from it.
namespace podsim::hw::parts {

/// The value of one unit in a PerUnit.
template <class Unit, class Value>
struct UnitSlot {
  Value value{};
  bool operator==(const UnitSlot&) const = default;
};

/// One Value<Unit> for each unit: `works.of<Mxu>()`.
template <template <class Unit> class Value, class... Units>
struct PerUnit : UnitSlot<Units, Value<Units>>... {
  template <class Unit>
  Value<Unit>& of() {
    return static_cast<UnitSlot<Unit, Value<Unit>>&>(*this).value;
  }
  template <class Unit>
  const Value<Unit>& of() const {
    return static_cast<const UnitSlot<Unit, Value<Unit>>&>(*this).value;
  }
  bool operator==(const PerUnit&) const = default;
};

template <class... Units>
struct UnitList {
  template <template <class Unit> class Value>
  using Per = PerUnit<Value, Units...>;

  /// A record that consists of what each unit adds to it, by inheritance.
  struct Parameters : Units::InMachine... {};

  static constexpr std::size_t size = sizeof...(Units);
  /// The position of a unit in the list.
  template <class Unit>
  static constexpr std::size_t index = [] {
    std::size_t before = 0;
    static_cast<void>(((std::is_same_v<Unit, Units> || (++before, false)) || ...));
    return before;
  }();
  template <class Unit>
  static constexpr bool contains = (std::is_same_v<Unit, Units> || ...);

  /// The values make(std::type_identity<Unit>()) of each unit.
  template <template <class Unit> class Value, class Make>
  static constexpr Per<Value> make(const Make& make_one) {
    return {UnitSlot<Units, Value<Units>>{make_one(std::type_identity<Units>())}...};
  }
  /// Calls visit(std::type_identity<Unit>()) for each unit in order, except for one that says that it is not present().
  template <class Visit>
  static constexpr void for_each(const Visit& visit) {
    (visit_present<Units>(visit), ...);
  }

 private:
  template <class Unit, class Visit>
  static constexpr void visit_present(const Visit& visit) {
    if constexpr (requires { Unit::present(); }) {
      if (!Unit::present()) return;
    }
    visit(std::type_identity<Unit>());
  }
};

/// How a unit is named in modules, waveforms, statistics and reports.
struct UnitNames {
  const char* name;              ///< of its section, module and scope: "vector"
  const char* title;             ///< "vector unit"
  const char* bound;             ///< of an op that waits for it; nullptr: the unit bounds no op
  const char* busy;              ///< what its busy cycles are; nullptr: they are no statistic
  const char* timeline;          ///< category of its spans in a timeline; nullptr: it has no row there
  base::trace::GtkwColor color;  ///< of its signals in a waveform; normal: they have none of their own
  bool numbered = false;         ///< a core may have several, with numbers behind their names
};

}  // namespace podsim::hw::parts
