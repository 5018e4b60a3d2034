// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"

namespace podsim::hw::timing {

/// Duration of `ops` operations on 8 x 128 registers in the cross-lane unit, in cycles of the core clock. One operation
/// enters every interval; filling and emptying the unit is paid once. No work takes no time.
///
///   duration = ops * interval + cross_lane_phase
///
/// The interval is an assumption of the machine file. tile_level.cross_lane_phase_cycles, most of which is the unit's
/// latency, is measured on bundle programs. Layout changes measured on TPU v3 cost 8.8 cycles per register.
class CrossLaneTiming {
 public:
  explicit CrossLaneTiming(const Machine& machine)
      : interval_(machine.cross_lane.interval), phase_(machine.tile_level.cross_lane_phase) {}
  base::Cycles duration(std::int64_t ops) const { return ops <= 0 ? base::Cycles(0) : ops * interval_ + phase_; }

 private:
  base::Cycles interval_, phase_;
};

}  // namespace podsim::hw::timing
