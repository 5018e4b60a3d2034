// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "noc/topology.h"
#include "sw/chakra/execution_trace.h"
#include "sw/compiler/op_costs.h"
#include "sw/compiler/program.h"
#include "sw/runtime/run_result.h"
#include "sw/target_machine.h"

namespace podsim::sw::chakra {

/// The execution traces of the last step of a run. A rank is a core: core c of chip n is number n * cores_per_chip + c.
///
/// What a core does in order is a chain of control dependencies. Asynchronous collectives and ops begin at their
/// position in the chain, and what follows their end waits for them too. Data dependencies are those of the compiled
/// program within a computation. Trips of a loop follow one another; the nodes of all but the first have "#2", "#3" in
/// their names. Transfers from and to the host are nodes of type mem_load and mem_store, and so are asynchronous ops,
/// which run concurrently with compute nodes. A collective-permute is a send on one rank and a receive on the other.
///
/// Durations are means of the executions in the step on the reported core; of ops that it does not run, and of
/// asynchronous ones, the time of the op alone. Times at which nodes begin are given if all cores run the same program.
class RunTrace {
 public:
  /// All outlive this.
  RunTrace(const compiler::Program& program, const runtime::RunResult& result, const TargetMachine& machine,
           const noc::Topology& slice);

  std::int32_t ranks() const { return ranks_; }
  RankTrace of(std::int32_t rank);
  const std::map<std::string, std::vector<std::int32_t>>& groups() const { return groups_; }

 private:
  class Builder;
  base::Time duration(int item);

  const compiler::Program& program_;
  const runtime::RunResult& result_;
  const TargetMachine& machine_;
  std::int32_t ranks_;
  std::map<std::string, std::vector<std::int32_t>> groups_;
  std::vector<std::vector<std::int32_t>> group_numbers_;     ///< by collective and rank: its group's name; 0: none
  std::vector<std::optional<base::Time>> observed_, alone_;  ///< by item; by op
  compiler::OpCosts costs_;
};

}  // namespace podsim::sw::chakra
