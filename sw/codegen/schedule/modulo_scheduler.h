// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "hw/machine.h"
#include "sw/codegen/registers/register_set.h"
#include "sw/codegen/schedule/list_scheduler.h"
#include "sw/codegen/schedule/modulo_graph.h"

namespace podsim::sw::codegen::schedule {

/// Issue cycles of the operations of a loop body: iteration i issues operation o in cycle i * interval + cycle[o].
struct ModuloSchedule {
  int interval = 1;
  std::vector<int> cycle;  ///< by operation, starting at 0

  int length() const;  ///< cycles of an iteration
  int stages() const { return (length() + interval - 1) / interval; }
};

struct ModuloScope {
  const hw::Machine& machine;
  const std::vector<registers::Operation>& operations;
  const DependenceGraph& graph;
  /// Registers that every iteration has separately. The others occupy a machine register for the whole loop.
  const registers::RegisterSet& renamed;
  /// Machine registers available for the renamed ones.
  RegisterBudget budget{};
  int longest_interval = 0;  ///< maximum interval for which overlapping is worthwhile
};

/// Iterative modulo scheduling (B. R. Rau, "Iterative modulo scheduling", 1996). Starts with the least interval that
/// slots, units and recurrences allow. Operations are placed by decreasing height, each in the first free bundle after
/// its predecessors; if there is none, others are evicted. Then operations that begin more values than they end move as
/// late as possible, to shorten lifetimes. If that takes too many placements, or registers do not suffice, operations
/// are placed in the order of the code instead; then the next interval is tried. Returns std::nullopt if no interval up
/// to the longest one succeeds.
std::optional<ModuloSchedule> schedule_modulo(const ModuloScope& scope);

/// Returns the maximum number of values of the renamed registers that are live at the same time, by class.
RegisterBudget max_alive(const hw::Machine& machine, const std::vector<registers::Operation>& operations,
                         const registers::RegisterSet& renamed, const ModuloSchedule& schedule);

/// First access of a renamed register in an iteration, and its last read or completion of a write, by
/// Register::number().
struct Lifetime {
  int begin = 0, end = 0;
};
std::unordered_map<int, Lifetime> find_lifetimes(const hw::Machine& machine,
                                                 const std::vector<registers::Operation>& operations,
                                                 const registers::RegisterSet& renamed, const ModuloSchedule& schedule);

}  // namespace podsim::sw::codegen::schedule
