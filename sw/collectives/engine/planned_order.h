// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "noc/folded_topology.h"
#include "noc/ici/service_order.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/target_machine.h"

namespace podsim::sw::collectives::engine {

/// The order in which a collective that is alone on a healthy slice, all cores beginning together, has chips act and
/// links take messages: that of a program which was compiled for such a slice (noc/ici/service_order.h).
struct PlannedOrder {
  noc::FoldedTopology topology;
  std::vector<noc::ici::ServiceOrder> actions = {};              ///< by representative chip
  std::vector<noc::ici::ServiceOrder> messages = {};             ///< by link of the representatives
  std::vector<std::vector<std::vector<bool>>> idle_claims = {};  ///< by chip and core: HbmOccupancy::record_idle
};

/// Simulates the collective and keeps its order, without idle_claims: other transfers may claim the same HBM where it
/// is followed.
std::shared_ptr<const PlannedOrder> plan_order(const TargetMachine& machine,
                                               const std::shared_ptr<const schedule::CollectiveSchedule>& schedule);

}  // namespace podsim::sw::collectives::engine
