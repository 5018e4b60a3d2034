// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/units.h"
#include "hw/direction.h"

namespace podsim::hw::host {

/// Moves what a HostPort's link carries to and from the memory of a chip where that takes more than the link's time:
/// through the on-chip switch to the banks. Functions are called at the simulated time at which the last byte has
/// moved.
class HostCarrier {
 public:
  virtual ~HostCarrier() = default;
  /// Data of a core that pass the link's end at the chip evenly from `begin` to `end`, `begin` not before now: those
  /// that come in (reads of the host's memory) are written to the core's half of the HBM as they come, others are read
  /// there as they leave. `moved` is called at `end` or later.
  virtual void carry(Direction direction, int core, base::Bytes bytes, base::Time begin, base::Time end,
                     std::function<void()> moved) = 0;
  /// A core's copy within its half from now on, between a queue and where its program has the data.
  virtual void copy(int core, base::Bytes bytes, std::function<void()> moved) = 0;
};

}  // namespace podsim::hw::host
