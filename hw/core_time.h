// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "base/units.h"
#include "noc/systemc_time.h"

namespace podsim::hw {

/// Between a core's cycles and simulated time. Events are scheduled at the picosecond of an absolute clock edge, so
/// durations in cycles are exact wherever they start, and a rounded period never accumulates.
class CoreTime {
 public:
  explicit CoreTime(base::Frequency frequency) : clock_(frequency) {}

  const base::Clock& clock() const { return clock_; }
  /// The first edge at or after the present; the edge itself in a process that was woken on one.
  base::Cycles now() const { return clock_.edge_at_or_after(noc::now()); }
  base::Time time_of(base::Cycles cycle) const { return clock_.time_of(cycle); }
  /// From the present to an edge that is not in the past.
  sc_core::sc_time until(base::Cycles cycle) const { return noc::to_sc_time(clock_.time_of(cycle) - noc::now()); }

 private:
  base::Clock clock_;
};

}  // namespace podsim::hw
