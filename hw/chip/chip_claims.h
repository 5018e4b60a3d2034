// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/direction.h"
#include "hw/machine.h"
#include "hw/tile_op.h"
#include "hw/timing/hbm_occupancy.h"
#include "hw/timing/vector_timing.h"

namespace podsim::hw::chip {

/// What whole transfers have claimed of the halves of a chip's HBM and of its vector units. A claim is served behind
/// those before it, and claims of one resource come in order of time.
class ChipClaims {
 public:
  /// `speed` is the fraction of the healthy rate at which HBM and vector units serve transfers.
  explicit ChipClaims(const Machine& machine, double speed = 1);

  /// A core's half of the HBM.
  timing::HbmOccupancy& hbm(int core) { return hbm_[std::size_t(core)]; }
  /// The time at which a core's vector unit has done `work` on operands that are there at `ready`.
  base::Time compute(int core, base::Time ready, const VectorWork& work);
  /// A duration on a healthy chip, on this one.
  base::Time slowed(base::Time healthy) const;
  /// HbmOccupancy::set_contended, record_idle and follow_idle for every half. `claims` outlives this.
  void set_contended(bool contended);
  void record_idle(std::vector<std::vector<bool>>& claims);
  void follow_idle(const std::vector<std::vector<bool>>& claims);

 private:
  double speed_;
  base::Clock clock_;
  timing::VectorTiming vector_;
  std::vector<timing::HbmOccupancy> hbm_;   ///< by core
  std::vector<base::Time> vector_free_at_;  ///< by core
};

}  // namespace podsim::hw::chip
