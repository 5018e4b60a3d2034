// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "hw/tile_op.h"
#include "noc/chip_switch/message_switch.h"

namespace podsim::hw::chip {

/// What whole transfers, such as segments of collectives, take from a chip. A call claims its resource at the current
/// time, behind the claims before it, and returns when it is served.
class ChipTransfers : public sc_core::sc_interface {
 public:
  /// The time at which the last of `bytes` has been read from a core's half of the HBM.
  virtual base::Time read(int core, base::Bytes bytes) = 0;
  /// The time at which the last of `bytes` has been written to a core's half of the HBM.
  virtual base::Time write(int core, base::Bytes bytes) = 0;
  /// Moves `bytes` from one core to another through the on-chip switch.
  virtual noc::chip_switch::SwitchPassage pass(int from, int to, base::Bytes bytes) = 0;
  /// The time at which a core's vector unit has done `work` on operands that are there at `ready`.
  virtual base::Time compute(int core, base::Time ready, const VectorWork& work) = 0;
  /// A duration on a healthy chip, on this one.
  virtual base::Time slowed(base::Time healthy) const = 0;
};

}  // namespace podsim::hw::chip
