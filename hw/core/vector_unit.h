// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "hw/core/unit.h"
#include "hw/core_time.h"
#include "hw/timing/vector_timing.h"
#include "hw/trace.h"

namespace podsim::hw::core {

/// The vector unit as a module. Its calls return the cycle of their end, since only the core's sequencer uses the unit.
/// States: "run", "idle".
class VectorUnit : public sc_core::sc_module, private Unit<VectorWork> {
 public:
  VectorUnit(sc_core::sc_module_name name, const timing::VectorTiming& timing, const CoreTime& time,
             const Trace& trace);

  sc_core::sc_export<Unit<VectorWork>> from_sequencer{"from_sequencer"};

 private:
  base::Cycles start(base::Cycles now, const VectorWork& work, std::string_view op) override;
  base::Cycles busy() const override { return busy_; }

  timing::VectorTiming timing_;
  const CoreTime& time_;
  std::shared_ptr<base::trace::StateTrace> trace_;
  base::trace::Timeline* timeline_;
  base::trace::Timeline::Track track_ = 0;
  base::Cycles busy_;
};

}  // namespace podsim::hw::core
