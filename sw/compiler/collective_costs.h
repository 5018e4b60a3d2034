// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "base/units.h"
#include "hw/machine.h"
#include "noc/topology.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/compiler/program.h"

namespace podsim::sw::compiler {

/// Times of collectives while a program is compiled: those of collectives::engine::CollectiveTimes by formula, on the
/// slice of collectives/schedule/assumed_slice.h. They order ops and choose branches; no time of a step has them.
class CollectiveCosts {
 public:
  /// `devices` of the program; 1 if it does not tell how many cores run it. `machine` outlives this.
  CollectiveCosts(const hw::Machine& machine, std::int64_t devices);

  /// The time of a collective on an idle network.
  base::Duration of(const CollectiveOp& collective);

 private:
  const hw::Machine& machine_;
  noc::Topology slice_;
  collectives::engine::CollectiveTimes times_;
  std::map<CollectiveOp, base::Duration> known_;
};

}  // namespace podsim::sw::compiler
