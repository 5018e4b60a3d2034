// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "hw/cross_lane_timing.h"
#include "hw/unit_trace.h"

namespace podsim::hw {

/// The cross-lane unit as a module: blocking with annotated delay, since only its core's sequencer uses it.
/// States: "run", "idle".
class CrossLaneUnit : public sc_core::sc_module {
 public:
  CrossLaneUnit(sc_core::sc_module_name name, const CrossLaneTiming& timing, const CoreTime& time, const Trace& trace);

  /// Starts at `now` and returns the cycle in which it is done. It must be idle.
  base::Cycles start(base::Cycles now, std::int64_t ops, std::string_view op);
  base::Cycles busy() const { return busy_; }

 private:
  CrossLaneTiming timing_;
  const CoreTime& time_;
  std::unique_ptr<UnitTrace> trace_;
  base::Timeline* timeline_;
  base::Timeline::Track track_ = 0;
  base::Cycles busy_;
};

}  // namespace podsim::hw
