// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "hw/tile_op.h"
#include "noc/chip_switch/message_switch.h"

namespace podsim::hw::chip {

/// What whole transfers, such as segments of collectives, take from a chip. A call claims its resource at `now`,
/// behind the claims before it, and returns when it is served. Claims come in the order of their times. `now` is the
/// simulated time or, unless follows_events(), a later one before which nothing else will happen.
class ChipTransfers : public sc_core::sc_interface {
 public:
  /// The time at which the last of `bytes` has been read from a core's half of the HBM.
  virtual base::Time read(base::Time now, int core, base::Bytes bytes) = 0;
  /// The time at which the last of `bytes` has been written to a core's half of the HBM.
  virtual base::Time write(base::Time now, int core, base::Bytes bytes) = 0;
  /// Moves `bytes` from one core to another through the on-chip switch.
  virtual noc::chip_switch::SwitchPassage pass(base::Time now, int from, int to, base::Bytes bytes) = 0;
  /// The time at which a core's vector unit has done `work` on operands that are there at `ready`.
  virtual base::Time compute(int core, base::Time ready, const VectorWork& work) = 0;
  /// A duration on a healthy chip, on this one.
  virtual base::Time slowed(base::Time healthy) const = 0;
  /// Whether claims must be made at the simulated time, since modules beside them move data too.
  virtual bool follows_events() const { return false; }
};

}  // namespace podsim::hw::chip
