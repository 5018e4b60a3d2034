// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "hw/machine.h"
#include "sw/codegen/registers/block.h"
#include "sw/codegen/registers/register_set.h"
#include "sw/codegen/schedule/dependence_graph.h"

namespace podsim::sw::codegen::schedule {

/// Number of registers of each class that scheduled code should use at most.
using RegisterBudget = std::array<int, registers::register_classes>;

struct ListScope {
  const hw::Machine& machine;
  const std::vector<registers::Operation>& operations;
  const DependenceGraph& graph;
  const registers::RegisterSet& live_in;
  const registers::RegisterSet& live_out;
  RegisterBudget budget{};
};

/// List scheduling, bundle by bundle. Among the operations with ready operands, those with the longest chain of
/// dependent work go first. An operation that would have more values live than the budget allows waits, unless it is
/// the oldest one. Units with reorderable operations (FifoPair) are popped in the order of their pushes, and pushed
/// only while they have room. Returns std::nullopt if the schedule gets stuck, which the original order of the code
/// never does.
std::optional<registers::Block> schedule_list(const ListScope& scope);

/// Returns the cycles from the end of straight-line code until all of its operations are complete.
int settling_cycles(const hw::Machine& machine, const std::vector<registers::Operation>& operations,
                    const std::vector<registers::Row>& rows);

}  // namespace podsim::sw::codegen::schedule
