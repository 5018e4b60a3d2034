// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/trace/probe.h"
#include "base/units.h"
#include "hw/machine.h"
#include "noc/faults.h"
#include "noc/folded_topology.h"
#include "sw/collectives/collective_data.h"
#include "sw/collectives/collective_folding.h"
#include "sw/collectives/collective_schedule.h"

/// One collective on an otherwise idle slice, in a simulation of its own.
namespace podsim::sw::collectives {

enum class NetworkLevel : std::uint8_t { message, packet };

struct CollectiveOptions {
  NetworkLevel network = NetworkLevel::message;
  bool fold = true;  ///< where that is exact
  StartTimes starts = {};
  noc::Faults faults = {};         ///< of the slice, which is not folded then
  std::uint64_t seed = 1;          ///< of jitter, bit errors and stalls
  CollectiveData* data = nullptr;  ///< numbers to move; nothing is folded then
  base::trace::ProbeSink* sink = nullptr;
};

/// A stage of the colours of one order, from the first core that entered it to the last that left it.
struct CollectivePhase {
  std::string name;     ///< "reduce-scatter y"
  int order = 0;        ///< which of two orders of dimensions
  base::Bytes payload;  ///< of a chip, that the stage works on
  base::Time begin, end;
};

struct LinkUse {
  noc::LinkId link = 0;  ///< of the representatives
  base::Bytes bytes;
  base::Time busy;
};

struct CollectiveOutcome {
  base::Time duration = {};  ///< from the first start to the last finish
  StartTimes finish = {};    ///< per core of the full slice
  noc::FoldedTopology topology = noc::Topology({1}, {false});
  std::int64_t messages = 0;  ///< simulated, of the representatives only
  std::int64_t relayed = 0;   ///< messages sent on by software, around what is dead
  std::vector<CollectivePhase> phases = {};
  std::vector<LinkUse> links = {};  ///< all that exist, by number
  /// What is wrong with the network's books of flits and credits; empty when all is well, and at message level.
  std::string audit = {};

  bool folded() const { return topology.is_folded(); }
  /// The link with most bytes; nothing without links.
  std::optional<LinkUse> busiest() const;
};

/// Needs a SystemC context in which nothing has been simulated. The packet level is not folded. SimulationError when
/// the collective comes to a halt: it names two chips that cannot communicate where that is the reason.
CollectiveOutcome simulate_collective(const hw::Machine& machine, std::shared_ptr<const CollectiveSchedule> schedule,
                                      const CollectiveOptions& options = {});

}  // namespace podsim::sw::collectives
