// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/overlap.h"

#include <algorithm>
#include <vector>

#include "sw/compiler/list_scheduler.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/schedule_steps.h"

namespace podsim::sw::compiler {

hlo::Module overlap_collectives(hlo::Module fused, const TargetMachine& machine,
                                std::span<const hlo::Donation> donations, OpCache* cache) {
  if (fused.scheduled) return fused;
  const std::vector<std::vector<ScheduleStep>> steps = schedule_steps(fused, machine, cache);
  const base::Bytes most = std::max(machine.hbm.usable_per_core(), account_memory(fused, donations).peak);
  for (const int look_ahead : {512, 64, 8, 0}) {
    hlo::Module overlapped = fused;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!steps[i].empty()) overlapped.computations[i] = scheduled(fused.computations[i], steps[i], look_ahead);
    }
    if (account_memory(overlapped, donations).peak <= most) return overlapped;
  }
  return fused;
}

}  // namespace podsim::sw::compiler
