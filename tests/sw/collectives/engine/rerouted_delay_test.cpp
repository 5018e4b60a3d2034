// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/rerouted_delay.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "noc/faults.h"
#include "noc/slice.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "workloads/machines/machines.h"

namespace podsim::sw::collectives::engine {
namespace {

const TargetMachine& rerouting_machine() {
  static const TargetMachine machine = read_target(workloads::machines::machine_config("tpu-v3"));
  return machine;
}

/// The delay on the whole slice, simulated.
double whole_delay(const noc::Topology& slice, base::Bytes bytes, noc::LinkId link) {
  const TargetMachine& machine = rerouting_machine();
  const auto choice = choose_algorithm(machine, slice, CollectiveGroups::all(slice, 2),
                                       {CollectiveKind::all_reduce, hlo::ElementType::bf16, bytes.value() / 2});
  const noc::Link cable = slice.link(link).value();
  const auto dead = [&](noc::NodeId chip, int direction) {
    const noc::Coordinates at = slice.coordinates(chip);
    return noc::Fault{noc::Fault::Kind::dead_link, {at[0], at[1]}, cable.dimension, direction, 0};
  };
  CollectiveOptions options;
  options.faults = noc::Faults(slice, std::vector<noc::Fault>{dead(cable.from, 1), dead(cable.to, -1)});
  const CollectiveOutcome outcome = simulate_collective(machine, choice.schedule, options);
  return base::to_duration(outcome.duration - outcome.healthy.value()).si();
}

/// A part with the same ring has the delay of the whole slice, within a fifth, along both dimensions.
TEST(ReroutedDelay, OfAPartIsThatOfTheWholeSlice) {
  const noc::Topology slice = noc::slice_topology({{32, 32}, 4}, {32, 16});
  for (const int dimension : {0, 1}) {
    const noc::LinkId link = slice.link_id(slice.node({7, 7}), dimension, 1);
    const ReroutedAllReduce part = rerouted_all_reduce(rerouting_machine(), slice, base::Bytes(50'000'000), link);
    const double whole = whole_delay(slice, base::Bytes(50'000'000), link);
    EXPECT_GT(whole, 0);
    EXPECT_NEAR(part.delay.si() / whole, 1, 0.2) << dimension;
    EXPECT_GT(part.slowdown(), 1);
  }
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
