// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "hw/unit_trace.h"
#include "hw/vector_timing.h"

namespace podsim::hw {

/// The vector unit as a module: blocking with annotated delay, since only its core's sequencer uses it.
/// States: "run", "idle".
class VectorUnit : public sc_core::sc_module {
 public:
  VectorUnit(sc_core::sc_module_name name, const VectorTiming& timing, const CoreTime& time, const Trace& trace);

  /// Starts at `now` and returns the cycle in which it is done. It must be idle.
  base::Cycles start(base::Cycles now, const VectorWork& work, std::string_view op);
  base::Cycles busy() const { return busy_; }

 private:
  VectorTiming timing_;
  const CoreTime& time_;
  std::unique_ptr<UnitTrace> trace_;
  base::Timeline* timeline_;
  base::Timeline::Track track_ = 0;
  base::Cycles busy_;
};

}  // namespace podsim::hw
