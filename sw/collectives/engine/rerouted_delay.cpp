// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/rerouted_delay.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "noc/faults.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "sw/collectives/schedule/collective_estimate.h"

namespace podsim::sw::collectives::engine {
namespace {

constexpr std::int64_t largest_simulated = 256;  ///< chips
constexpr std::int32_t shortened = 4;            ///< of another dimension than the link's

/// A slice, a link of it, and what is reduced there.
struct Part {
  noc::Topology slice;
  noc::LinkId link = 0;
  std::int64_t elements = 0;
};

Part shorter(const noc::Topology& slice, const noc::Link& link, std::int64_t elements, Algorithm algorithm) {
  const bool last_first = orders(algorithm, slice.dimensions()) == 1;
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
  noc::Coordinates from = slice.coordinates(link.from);
  for (int d = 0; d < slice.dimensions(); ++d) {
    const std::int32_t size = d == link.dimension ? slice.size(d) : std::min(slice.size(d), shortened);
    // Dimensions behind the link's come first and divide what is reduced along it.
    if (d > link.dimension && last_first) elements = elements * size / slice.size(d);
    if (size != slice.size(d)) from[std::size_t(d)] = std::min(from[std::size_t(d)], size / 2);
    sizes.push_back(size);
    wraps.push_back(slice.wraps(d));
  }
  const std::int64_t pods = sizes[0] == slice.size(0) ? slice.pod_length() : 0;
  const noc::Topology part(sizes, wraps, pods);
  return {part, part.link_id(part.node(from), link.dimension, 1), std::max<std::int64_t>(elements, 1)};
}

noc::Faults broken(const noc::Topology& slice, const noc::Link& link) {
  const auto dead = [&](noc::NodeId chip, int direction) {
    const noc::Coordinates at = slice.coordinates(chip);
    return noc::Fault{
        noc::Fault::Kind::dead_link, {at.begin(), at.begin() + slice.dimensions()}, link.dimension, direction, 0};
  };
  const std::vector<noc::Fault> faults{dead(link.from, 1), dead(link.to, -1)};
  return {slice, faults};
}

}  // namespace

ReroutedAllReduce rerouted_all_reduce(const TargetMachine& machine, const noc::Topology& slice, base::Bytes bytes,
                                      noc::LinkId link) {
  const int cores = int(machine.cores_per_chip);
  const hlo::ElementType type = hlo::ElementType::bf16;
  const std::int64_t elements = base::divide_round_up(bytes.value(), hlo::byte_width(type));
  const schedule::CollectiveRequest request{CollectiveKind::all_reduce, type, elements};
  CollectiveTimes times(machine);
  const auto all = CollectiveGroups::all(slice, cores);
  const Algorithm algorithm = times.choose(slice, all, request).schedule->algorithm();
  const noc::Link cable = slice.link(link).value();
  const Part part =
      slice.nodes() > largest_simulated ? shorter(slice, cable, elements, algorithm) : Part{slice, link, elements};
  const auto schedule = std::make_shared<const schedule::CollectiveSchedule>(
      part.slice, cores, CollectiveGroups::all(part.slice, cores),
      schedule::CollectiveRequest{CollectiveKind::all_reduce, type, part.elements}, algorithm,
      schedule::segment_lengths(machine, type));
  CollectiveOptions options;
  options.faults = broken(part.slice, part.slice.link(part.link).value());
  const CollectiveOutcome outcome = simulate_collective(machine, schedule, options);
  const base::Duration healthy = base::to_duration(outcome.healthy.value());
  return {times.time(slice, all, request, algorithm), base::to_duration(outcome.duration) - healthy};
}

}  // namespace podsim::sw::collectives::engine
