// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "hw/mxu_timing.h"
#include "hw/unit_trace.h"

namespace podsim::hw {

/// One matrix unit as a module: blocking with annotated delay, since only its core's sequencer uses it.
/// States: "load weights", "stream", "drain", "idle".
class Mxu : public sc_core::sc_module {
 public:
  /// `unit` is its number in the core: it decides which weight tiles of a phase are its own.
  Mxu(sc_core::sc_module_name name, const MxuTiming& timing, std::int64_t unit, const CoreTime& time,
      const Trace& trace);

  /// Starts its share of a phase at `now` and returns the cycle in which it is done. It must be idle.
  base::Cycles start(base::Cycles now, const MxuWork& work, std::string_view op);
  base::Cycles busy() const { return busy_; }

 private:
  MxuTiming timing_;
  std::int64_t unit_;
  const CoreTime& time_;
  std::unique_ptr<UnitTrace> trace_;
  base::Timeline* timeline_;
  base::Timeline::Track track_ = 0;
  base::Cycles busy_;
};

}  // namespace podsim::hw
