// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "hw/core/unit.h"
#include "hw/core_time.h"
#include "hw/timing/mxu_timing.h"
#include "hw/trace.h"

namespace podsim::hw::core {

/// One matrix unit as a module. Its calls return the cycle of their end, since only the core's sequencer uses the unit.
/// States: "load weights", "stream", "drain", "idle".
class Mxu : public sc_core::sc_module, private Unit<MxuWork> {
 public:
  /// `unit` is its number in the core, which determines its weight tiles of a phase.
  Mxu(sc_core::sc_module_name name, const timing::MxuTiming& timing, std::int64_t unit, const CoreTime& time,
      const Trace& trace);

  sc_core::sc_export<Unit<MxuWork>> from_sequencer{"from_sequencer"};

 private:
  base::Cycles start(base::Cycles now, const MxuWork& work, std::string_view op) override;
  base::Cycles busy() const override { return busy_; }

  timing::MxuTiming timing_;
  std::int64_t unit_;
  const CoreTime& time_;
  std::shared_ptr<base::trace::StateTrace> trace_;
  base::trace::Timeline* timeline_;
  base::trace::Timeline::Track track_ = 0;
  base::Cycles busy_;
};

}  // namespace podsim::hw::core
