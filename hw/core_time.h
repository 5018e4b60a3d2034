// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "base/systemc/systemc_time.h"
#include "base/units.h"

namespace podsim::hw {

/// Converts between a core's cycles and simulated time. Events are scheduled at the picosecond of an absolute clock
/// edge, so durations in cycles are exact wherever they start, and a rounded period never accumulates.
class CoreTime {
 public:
  explicit CoreTime(base::Frequency frequency) : clock_(frequency) {}

  const base::Clock& clock() const { return clock_; }
  /// The first edge that is not in the past. In a process that was woken on an edge, this is that edge.
  base::Cycles now() const { return clock_.edge_at_or_after(base::systemc::now()); }
  base::Time time_of(base::Cycles cycle) const { return clock_.time_of(cycle); }
  /// Time from now to an edge that is not in the past.
  sc_core::sc_time until(base::Cycles cycle) const {
    return base::systemc::to_sc_time(clock_.time_of(cycle) - base::systemc::now());
  }

 private:
  base::Clock clock_;
};

}  // namespace podsim::hw
