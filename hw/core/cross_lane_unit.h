// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "hw/core/unit_trace.h"
#include "hw/timing/cross_lane_timing.h"

namespace podsim::hw::core {

/// The cross-lane unit as a module. Calls return the cycle of their end, since only the core's sequencer uses the unit.
/// States: "run", "idle".
class CrossLaneUnit : public sc_core::sc_module {
 public:
  CrossLaneUnit(sc_core::sc_module_name name, const timing::CrossLaneTiming& timing, const CoreTime& time,
                const Trace& trace);

  /// Starts `ops` operations at `now` and returns the cycle in which they are done. The unit must be idle.
  base::Cycles start(base::Cycles now, std::int64_t ops, std::string_view op);
  base::Cycles busy() const { return busy_; }

 private:
  timing::CrossLaneTiming timing_;
  const CoreTime& time_;
  std::unique_ptr<UnitTrace> trace_;
  base::trace::Timeline* timeline_;
  base::trace::Timeline::Track track_ = 0;
  base::Cycles busy_;
};

}  // namespace podsim::hw::core
