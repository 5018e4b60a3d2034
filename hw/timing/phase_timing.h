// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "hw/timing/cross_lane_timing.h"
#include "hw/timing/mxu_timing.h"
#include "hw/timing/vector_timing.h"

namespace podsim::hw::timing {

/// Timing of one core's units. Within a phase the units and the scalar code run concurrently, so the phase lasts as
/// long as the longest of them; the phases of a tile run in sequence. Durations are in cycles of the core clock.
class PhaseTiming {
 public:
  explicit PhaseTiming(const Machine& machine) : mxu_(machine), vector_(machine), cross_lane_(machine) {}

  const MxuTiming& mxu() const { return mxu_; }
  const VectorTiming& vector() const { return vector_; }
  const CrossLaneTiming& cross_lane() const { return cross_lane_; }

  base::Cycles duration(const TilePhase& phase) const {
    return std::max({mxu_.duration(phase.mxu), vector_.duration(phase.vector),
                     cross_lane_.duration(phase.cross_lane_ops), phase.scalar});
  }
  base::Cycles duration(const std::vector<TilePhase>& phases) const {
    base::Cycles total;
    for (const TilePhase& phase : phases) total += duration(phase);
    return total;
  }

 private:
  MxuTiming mxu_;
  VectorTiming vector_;
  CrossLaneTiming cross_lane_;
};

}  // namespace podsim::hw::timing
