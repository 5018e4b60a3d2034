// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/trace/probe.h"
#include "base/units.h"
#include "noc/faults.h"
#include "noc/folded_topology.h"
#include "sw/collectives/engine/collective_data.h"
#include "sw/collectives/schedule/collective_folding.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/target_machine.h"

/// One collective on an otherwise idle slice, in a separate simulation.
///
/// With faults, at message level, the collective runs first on the healthy slice. Every chip then acts, and every link
/// takes messages, in the order of that run: the order of a program that was compiled for a healthy slice. So a slower
/// chip or link, or jitter, delays some actions and brings none forward (noc/ici/service_order.h). Where links are
/// dead, messages take other routes, and links serve them in the order of arrival.
namespace podsim::sw::collectives::engine {

enum class NetworkLevel : std::uint8_t { message, packet };

struct CollectiveOutcome;

struct CollectiveOptions {
  NetworkLevel network = NetworkLevel::message;
  bool fold = true;  ///< fold the slice where that is exact
  schedule::StartTimes starts = {};
  noc::Faults faults = {};         ///< a slice with faults is not folded
  std::uint64_t seed = 1;          ///< of jitter, bit errors and stalls
  CollectiveData* data = nullptr;  ///< values to move; the slice is not folded then
  base::trace::ProbeSink* sink = nullptr;
  std::function<void(base::Time)> progress = {};  ///< called now and then with the simulated time
  CollectiveOutcome* partial = nullptr;  ///< receives the outcome so far of one that is interrupted, without `finish`
};

/// A phase of the stripes of one order, from the first core that entered it to the last that left it.
struct CollectivePhase {
  std::string name;     ///< "reduce-scatter y"
  int order = 0;        ///< of dimensions, see GroupSchedule::orders
  base::Bytes payload;  ///< bytes of a chip that the phase works on
  base::Time begin, end;
};

struct LinkUse {
  noc::LinkId link = 0;  ///< of the representatives
  base::Bytes bytes;
  base::Time busy;
};

struct CollectiveOutcome {
  base::Time duration = {};                ///< from the first start to the last finish
  std::optional<base::Time> healthy = {};  ///< the duration without faults, at message level with faults only
  schedule::StartTimes finish = {};        ///< by core of the full slice
  noc::FoldedTopology topology = noc::Topology({1}, {false});
  std::int64_t messages = 0;  ///< simulated, between representatives only
  std::int64_t relayed = 0;   ///< messages that software sent on, around dead links
  std::vector<CollectivePhase> phases = {};
  std::vector<LinkUse> links = {};  ///< all links that exist, by number
  /// Violated conservation of flits or credits; empty when there is none, and at message level.
  std::string audit = {};

  bool folded() const { return topology.is_folded(); }
  /// The link with most bytes; nothing without links.
  std::optional<LinkUse> busiest() const;
};

/// Simulates a collective: in a SystemC simulation of its own with a sink or at packet level, otherwise without
/// SystemC. The packet level is not folded. Throws SimulationError when the collective cannot proceed, with the names
/// of two chips that cannot communicate if that is the reason, and base::host::Interrupted when the program is
/// interrupted.
CollectiveOutcome simulate_collective(const TargetMachine& machine,
                                      const std::shared_ptr<const schedule::CollectiveSchedule>& schedule,
                                      const CollectiveOptions& options = {});

}  // namespace podsim::sw::collectives::engine
