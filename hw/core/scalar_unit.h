// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "hw/core/unit.h"
#include "hw/core_time.h"
#include "hw/trace.h"

namespace podsim::hw::core {

/// The scalar unit as a module. At tile level its work is a number of cycles: scalar code of a phase, and the code
/// between tiles that determines the next tile and prepares descriptors (hw/timing/control_timing.h). States: "run",
/// "idle".
class ScalarUnit : public sc_core::sc_module, private Unit<base::Cycles> {
 public:
  ScalarUnit(sc_core::sc_module_name name, const CoreTime& time, const Trace& trace);

  sc_core::sc_export<Unit<base::Cycles>> from_sequencer{"from_sequencer"};

 private:
  base::Cycles start(base::Cycles now, const base::Cycles& work, std::string_view op) override;
  base::Cycles busy() const override { return busy_; }

  const CoreTime& time_;
  std::shared_ptr<base::trace::StateTrace> trace_;
  base::Cycles busy_;
};

}  // namespace podsim::hw::core
