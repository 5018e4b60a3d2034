// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <systemc>

#include "base/units.h"
#include "hw/tile_op.h"

namespace podsim::hw::chip {

/// A memory of a core: its half of the HBM, or its VMEM.
struct CoreMemory {
  enum class Kind { hbm, vmem };
  Kind kind = Kind::vmem;
  int core = 0;
};
inline CoreMemory hbm_of(int core) { return {CoreMemory::Kind::hbm, core}; }
inline CoreMemory vmem_of(int core) { return {CoreMemory::Kind::vmem, core}; }

/// A whole transfer between two memories of a chip, such as a segment of a collective.
struct Move {
  CoreMemory from, to;
  base::Bytes bytes;
};

/// Whether a transfer passes from a core's port of the on-chip switch to that of a core: between two cores, and from
/// VMEM to VMEM also to the same one.
inline bool passes_switch(const Move& move) {
  return move.from.core != move.to.core ||
         (move.from.kind == CoreMemory::Kind::vmem && move.to.kind == CoreMemory::Kind::vmem);
}

/// A transfer whose end is an event.
class RunningMove {
 public:
  virtual ~RunningMove() = default;
  /// Adds a function to call at the time at which the last byte has moved.
  virtual void on_end(std::function<void()> ended) = 0;
};

/// The end of a transfer: a time that is known when it begins, or an event.
struct MoveEnd {
  base::Time when;                 ///< when the last byte has moved, if that is known
  RunningMove* running = nullptr;  ///< the transfer, if its end is an event; valid until the end
};

/// What whole transfers take from a chip. Transfers begin in the order of their times. `now` is the simulated time or,
/// where ends are known and unless follows_events(), a later one before which nothing else will happen.
class ChipTransfers : public sc_core::sc_interface {
 public:
  /// Begins a transfer at `now`. It takes the halves of the HBM at its ends and the on-chip switch (passes_switch()).
  virtual MoveEnd move(base::Time now, const Move& move) = 0;
  /// Whether transfers end at times that are known when they begin: each of them claims its resources behind the claims
  /// before it. Else they pass switch and banks in granules, and their ends are events.
  virtual bool ends_known() const { return true; }
  /// What a DMA between two cores takes beyond move().
  virtual base::Time copy_latency() const = 0;
  /// The time at which a core's vector unit finishes `work` on operands that are available at `ready`.
  virtual base::Time compute(int core, base::Time ready, const VectorWork& work) = 0;
  /// A duration on a healthy chip, on this one.
  virtual base::Time slowed(base::Time healthy) const = 0;
  /// Whether transfers must begin at the simulated time, since other modules move data concurrently.
  virtual bool follows_events() const { return false; }
};

}  // namespace podsim::hw::chip
