// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "hw/parts/cross_lane/cross_lane_parameters.h"

namespace podsim::hw::parts::cross_lane {

struct Unit;

/// Work of one phase.
struct Work {
  using Of = Unit;
  std::int64_t operations = 0;  ///< on registers: transpose, rotate, lane reduction
  bool operator==(const Work&) const = default;

  /// Calls visit(count of each of `works`...) for each count.
  template <class Visit, class... Works>
  static constexpr void for_each_count(const Visit& visit, Works&... works) {
    visit(works.operations...);
  }
};

/// Duration of operations on registers in the cross-lane unit, in cycles of the core clock. One operation
/// enters every interval; filling and emptying the unit is paid once. No work takes no time.
///
///   duration = operations * interval + phase
///
/// The interval is an assumption of the machine file. The phase (tile_level.cross_lane_phase_cycles), most of which is
/// the unit's latency, is measured on bundle programs. Layout changes measured on TPU v3 cost 8.8 cycles per register.
class CrossLaneTiming {
 public:
  CrossLaneTiming(const Parameters& unit, base::Cycles phase) : interval_(unit.interval), phase_(phase) {}
  base::Cycles duration(const Work& work) const {
    return work.operations <= 0 ? base::Cycles(0) : work.operations * interval_ + phase_;
  }
  /// By state (Unit::states), of instance 0.
  std::array<base::Cycles, 1> parts(const Work& work, std::int64_t) const { return {duration(work)}; }

 private:
  base::Cycles interval_, phase_;
};

}  // namespace podsim::hw::parts::cross_lane
