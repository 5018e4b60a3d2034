// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/probe.h"
#include "base/units.h"
#include "hw/machine.h"
#include "noc/folded_topology.h"
#include "sw/graph/shape.h"

/// One collective on an otherwise idle slice, in a simulation of its own.
namespace podsim::sw {

/// When each core of the full slice reaches the collective; core c of chip n is number n * cores_per_chip + c. Empty:
/// all at time zero.
using StartTimes = std::vector<base::Time>;

/// The slice folded along every wrapped dimension under whose translations the start times do not change. This is what
/// makes folding exact: the schedule itself is the same at every position of a ring.
noc::FoldedTopology fold_for(const noc::Topology& full, int cores_per_chip, const StartTimes& starts);

struct AllReduceResult {
  base::Time duration;   ///< from the first start to the last finish
  StartTimes finish;     ///< per core of the full slice
  std::string topology;  ///< "128x32 folded to 128x1"
  bool folded = false;
  std::int64_t messages = 0;  ///< simulated, of the representatives only
  double busiest_link = 0;    ///< share of the duration in which the busiest link carried data
};

/// All-reduces `elements` of `type` per core over the slice. `topology` (by default fold_for) may fold along dimensions
/// where the start times allow it. Needs a SystemC context in which nothing has been simulated.
AllReduceResult simulate_all_reduce(const hw::Machine& machine, const noc::Topology& full, std::int64_t elements,
                                    ElementType type, const StartTimes& starts = {},
                                    std::optional<noc::FoldedTopology> topology = std::nullopt,
                                    base::ProbeSink* sink = nullptr);

}  // namespace podsim::sw
