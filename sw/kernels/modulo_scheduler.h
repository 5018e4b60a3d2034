// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "hw/machine.h"
#include "sw/kernels/list_scheduler.h"
#include "sw/kernels/modulo_graph.h"
#include "sw/kernels/register_set.h"

namespace podsim::sw {

/// When the operations of a loop's body issue: iteration i issues operation o in cycle i * interval + cycle[o].
struct ModuloSchedule {
  int interval = 1;
  std::vector<int> cycle;  ///< from 0 on

  int length() const;  ///< cycles of an iteration
  int stages() const { return (length() + interval - 1) / interval; }
};

struct ModuloScope {
  const hw::Machine& machine;
  const std::vector<Operation>& operations;
  const DependenceGraph& graph;
  /// Of which every iteration has its own; the others take a register of the machine for the whole loop.
  const RegisterSet& renamed;
  /// Registers of the machine for the renamed ones.
  RegisterBudget budget{};
  int longest_interval = 0;  ///< beyond which overlapping is not worth it
};

/// Iterative modulo scheduling (B. R. Rau, "Iterative modulo scheduling", 1996): the least interval that slots, units
/// and recurrences allow; operations by the length of what depends on them, each in the first free bundle after those
/// it depends on, pushing out others where there is none. Afterwards operations that only begin values move as late as
/// they can, so that values live shortly. If all that takes too long or registers do not suffice, operations are taken
/// in the order of the code, and then the next interval is tried. Nothing if there is none up to the longest.
std::optional<ModuloSchedule> schedule_modulo(const ModuloScope& scope);

/// How many values of the renamed registers are alive at most, by class.
RegisterBudget most_alive(const hw::Machine& machine, const std::vector<Operation>& operations,
                          const RegisterSet& renamed, const ModuloSchedule& schedule);

/// The first write and the last read or write of each renamed register in an iteration, by Register::number().
struct Lifetime {
  int begin = 0, end = 0;
};
std::unordered_map<int, Lifetime> find_lifetimes(const hw::Machine& machine, const std::vector<Operation>& operations,
                                                 const RegisterSet& renamed, const ModuloSchedule& schedule);

}  // namespace podsim::sw
