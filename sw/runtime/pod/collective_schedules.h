// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "noc/topology.h"
#include "sw/collectives/algorithm.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/planned_order.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/compiler/program.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::pod {

/// By index into Program::collectives. Equal collectives share a schedule.
using CollectiveSchedules = std::vector<std::shared_ptr<const collectives::schedule::CollectiveSchedule>>;

/// The schedules of a program's collectives on a slice. Those that support `wanted` use it; the others, or all without
/// a value, use the algorithm with the shortest modelled time.
CollectiveSchedules schedules_of(const compiler::Program& program, const TargetMachine& machine,
                                 const noc::Topology& slice, std::optional<collectives::Algorithm> wanted,
                                 collectives::engine::CollectiveTimes& times);

/// By index into Program::collectives too: the orders in which chips act where a slice has faults.
using CollectiveOrders = std::vector<std::shared_ptr<const collectives::engine::PlannedOrder>>;
CollectiveOrders orders_of(const TargetMachine& machine, const CollectiveSchedules& schedules);

/// A note for each kind of collective in the program that does not support the algorithm.
std::vector<std::string> notes_of_other_algorithms(const compiler::Program& program, collectives::Algorithm wanted);

}  // namespace podsim::sw::runtime::pod
