// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "hw/machine.h"
#include "sw/kernels/block.h"
#include "sw/kernels/dependence_graph.h"
#include "sw/kernels/register_set.h"

namespace podsim::sw {

/// Registers of each class that scheduled code should do with.
using RegisterBudget = std::array<int, register_classes>;

struct ListScope {
  const hw::Machine& machine;
  const std::vector<Operation>& operations;
  const DependenceGraph& graph;
  const RegisterSet& live_in;
  const RegisterSet& live_out;
  RegisterBudget budget{};
};

/// Bundle by bundle, of the operations whose operands are there those first that the most cycles of dependent work wait
/// for. While more values are alive than the budget allows, an operation that adds to them waits, but for the oldest
/// one. Units whose operations may change their order (FifoPair) are popped in the order in which they were pushed, and
/// pushed only while they have room. Nothing if it gets stuck, which the order of the code itself never does.
std::optional<Block> schedule_list(const ListScope& scope);

/// Cycles from the last row of straight-line code until all that it began is through.
int settling_cycles(const hw::Machine& machine, const std::vector<Operation>& operations, const std::vector<Row>& rows);

}  // namespace podsim::sw
