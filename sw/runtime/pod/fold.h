// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "hw/op_result.h"
#include "noc/folded_topology.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/compiler/program.h"
#include "sw/runtime/pod/collective_schedules.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::pod {

/// Which chips of a slice represent others in a run of a program. Chips fold along those wrapped dimensions under whose
/// translations no collective and no set of cores that takes a branch changes. This is exact because the program is
/// SPMD, all cores start at time zero and every op takes the same time on every core.
///
/// Collective-permutes that send in different directions from different chips would prevent it. If they take less than
/// 1 % of the collectives' modelled time together and are not asynchronous, they take the time that
/// sw/collectives/schedule/collective_estimate.h computes and do not prevent it.
struct Fold {
  noc::FoldedTopology topology;
  std::map<int, hw::OpResult> by_formula = {};  ///< of the collectives that are not simulated with the cores, by index
  bool one_for_all = false;                     ///< one chip stands for all, and no message is simulated
  std::vector<std::string> notes = {};          ///< on what is taken by formula, and what is not folded
};

/// `schedules` are those of the program's collectives on the slice. Without `formulas` no collective takes a modelled
/// time.
Fold fold(const compiler::Program& program, const TargetMachine& machine, const noc::Topology& slice,
          const CollectiveSchedules& schedules, bool formulas = true);

/// One chip for all: each collective takes the time that it takes by itself on the idle slice
/// (sw/collectives/engine/algorithm_choice.h), when all cores begin together, and moves through the HBM what the first
/// core reads and writes. Those of a core run one after another. So what is left out is that cores drift apart, that
/// collectives along different dimensions run at the same time, and that ops slow collectives. As fold() if cores take
/// different branches.
Fold fold_to_one(const compiler::Program& program, const TargetMachine& machine, const noc::Topology& slice,
                 const CollectiveSchedules& schedules, collectives::engine::CollectiveTimes& times);

}  // namespace podsim::sw::runtime::pod
