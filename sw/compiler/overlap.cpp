// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/overlap.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sw/compiler/list_scheduler.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/schedule_steps.h"

namespace podsim::sw::compiler {
namespace {

struct Attempt {
  int look_ahead;
  TransferEnd end;
};

}  // namespace

hlo::Module overlap_collectives(hlo::Module fused, const TargetMachine& machine,
                                std::span<const hlo::Donation> donations, OpCache* cache) {
  if (fused.scheduled) return fused;
  const std::vector<std::vector<ScheduleStep>> steps = schedule_steps(fused, machine, cache);
  const base::Bytes most = std::max(machine.hbm.usable_per_core(), account_memory(fused, donations).peak);
  constexpr std::array attempts{Attempt{512, TransferEnd::when_read}, Attempt{512, TransferEnd::when_over},
                                Attempt{64, TransferEnd::when_over}, Attempt{8, TransferEnd::when_over},
                                Attempt{0, TransferEnd::when_over}};
  for (const Attempt& attempt : attempts) {
    hlo::Module overlapped = fused;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!steps[i].empty()) {
        overlapped.computations[i] = scheduled(fused.computations[i], steps[i], attempt.look_ahead, attempt.end);
      }
    }
    if (account_memory(overlapped, donations).peak <= most) return overlapped;
  }
  return fused;
}

}  // namespace podsim::sw::compiler
