// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "hw/core/unit.h"
#include "hw/core_time.h"
#include "hw/timing/cross_lane_timing.h"
#include "hw/trace.h"

namespace podsim::hw::core {

/// The cross-lane unit as a module. Its calls return the cycle of their end, since only the core's sequencer uses the
/// unit. States: "run", "idle".
class CrossLaneUnit : public sc_core::sc_module, private Unit<std::int64_t> {
 public:
  CrossLaneUnit(sc_core::sc_module_name name, const timing::CrossLaneTiming& timing, const CoreTime& time,
                const Trace& trace);

  sc_core::sc_export<Unit<std::int64_t>> from_sequencer{"from_sequencer"};

 private:
  base::Cycles start(base::Cycles now, const std::int64_t& ops, std::string_view op) override;
  base::Cycles busy() const override { return busy_; }

  timing::CrossLaneTiming timing_;
  const CoreTime& time_;
  std::shared_ptr<base::trace::StateTrace> trace_;
  base::trace::Timeline* timeline_;
  base::trace::Timeline::Track track_ = 0;
  base::Cycles busy_;
};

}  // namespace podsim::hw::core
