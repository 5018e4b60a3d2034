// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "hw/chip/chip_transfers.h"
#include "hw/core_units.h"
#include "hw/direction.h"
#include "hw/machine.h"
#include "hw/tile_op.h"
#include "hw/timing/hbm_occupancy.h"
#include "noc/chip_speed.h"

namespace podsim::hw::chip {

/// The time at which a transfer ends that begins at `now` and claims what it takes: `claim(core, direction)` a half of
/// the HBM and `pass()` the switch between two cores, each with the time at which it has moved.
template <class Claim, class Pass>
base::Time claimed_end(base::Time now, const Move& move, Claim&& claim, Pass&& pass) {
  base::Time end = now;
  if (move.from.kind == CoreMemory::Kind::hbm) end = std::max(end, claim(move.from.core, Direction::read));
  if (passes_switch(move)) end = std::max(end, pass());
  if (move.to.kind == CoreMemory::Kind::hbm) end = std::max(end, claim(move.to.core, Direction::write));
  return end;
}

/// What whole transfers have claimed of the halves of a chip's HBM and of its vector units. A claim is served behind
/// those before it, and claims of one resource come in order of time.
class ChipClaims {
 public:
  /// At `speed` the HBM and the vector units serve transfers.
  explicit ChipClaims(const Machine& machine, const noc::ChipSpeed& speed = {});

  /// A core's half of the HBM.
  timing::HbmOccupancy& hbm(int core) { return hbm_[std::size_t(core)]; }
  /// The time at which a core's vector unit finishes `work` on operands that are available at `ready`.
  base::Time compute(int core, base::Time ready, const VectorWork& work);
  /// How long it takes them.
  base::Time compute_time(const VectorWork& work) const { return slowed(clock_.time_of(vector_.duration(work))); }
  /// ChipTransfers::copy_latency() where transfers are claims: the latencies of a DMA that reads and writes.
  base::Time copy_latency() const { return copy_latency_; }
  /// A duration on a healthy chip, on this one: its clock's.
  base::Time slowed(base::Time healthy) const;
  /// HbmOccupancy::set_contended, record_idle and follow_idle for every half. `claims` outlives this.
  void set_contended(bool contended);
  void record_idle(std::vector<std::vector<bool>>& claims);
  void follow_idle(const std::vector<std::vector<bool>>& claims);

 private:
  double clock_speed_;
  base::Clock clock_;
  base::Time copy_latency_;
  Vector::Timing vector_;
  std::vector<timing::HbmOccupancy> hbm_;   ///< by core
  std::vector<base::Time> vector_free_at_;  ///< by core
};

}  // namespace podsim::hw::chip
