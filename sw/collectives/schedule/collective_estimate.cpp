// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/collective_estimate.h"

#include <algorithm>
#include <array>
#include <set>

#include "sw/collectives/schedule/launch.h"

namespace podsim::sw::collectives::schedule {
namespace {

constexpr double share_where_packets_wait = 0.6;

/// The number of groups that share the links of the first group's first chip: several where each has one core of it.
int groups_on_a_chip(const CollectiveSchedule& schedule) {
  const int cores = schedule.cores_per_chip();
  std::int32_t first = 0;
  while (first < schedule.cores() && !schedule.takes_part(first)) ++first;
  std::set<std::int32_t> groups;
  for (std::int32_t core = first / cores * cores; core < (first / cores + 1) * cores && core < schedule.cores();
       ++core) {
    if (schedule.takes_part(core)) groups.insert(schedule.member(core).group);
  }
  return std::max(1, int(groups.size()));
}

patterns::LinkCosts link_costs(const TargetMachine& machine, const CollectiveSchedule& schedule,
                               const GroupSchedule& program, double share) {
  return {.rate = share * machine.ici.payload_rate() / groups_on_a_chip(schedule),
          .hop_latency = machine.ici.hop_latency,
          .dma_latency = machine.ici.neighbour_latency(),
          .hbm_rate = machine.hbm.read_rate(),
          .element_bytes = hlo::byte_width(schedule.request().type),
          .cores = program.cores()};
}

/// The arrays of all pairs at once: the load of the busiest link, and the latency of the longest route.
double permute_seconds(const TargetMachine& machine, const CollectiveSchedule& schedule) {
  const noc::Topology& slice = schedule.slice();
  std::vector<std::int64_t> arrays(std::size_t(slice.link_ids()), 0);
  std::int64_t most = 0;
  std::size_t hops = 0;
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.sends(core)) continue;
    const auto links = slice.route(core / schedule.cores_per_chip(), schedule.route(core, {}).hops);
    for (const noc::Link& link : links) most = std::max(most, ++arrays[std::size_t(link.id)]);
    hops = std::max(hops, links.size());
  }
  const double bytes = double(schedule.bytes(schedule.request().elements).value());
  if (hops == 0) return bytes / machine.hbm.read_rate().si();
  return double(most) * bytes / machine.ici.payload_rate().si() + machine.ici.end_latency().si() +
         double(hops) * machine.ici.hop_latency.si();
}

/// `share` of the rate of links is left.
double group_seconds(const TargetMachine& machine, const CollectiveSchedule& schedule, const GroupSchedule& program,
                     double share) {
  const patterns::LinkCosts costs = link_costs(machine, schedule, program, share);
  double total = 0;
  const std::size_t phases = program.phases(0).size();
  for (std::size_t i = 0; i < phases; ++i) {
    std::array<double, noc::max_dimensions> along{};
    for (int order = 0; order < program.orders(); ++order) {
      const Phase& phase = program.phases(order)[i];
      along[std::size_t(phase.dimension)] += phase.pattern->modelled_time(costs, program.stripes_of(order)).si();
    }
    const double longest = *std::ranges::max_element(along);
    total = program.concurrent() ? std::max(total, longest) : total + longest;
  }
  return total;
}

double longest_group_seconds(const TargetMachine& machine, const CollectiveSchedule& schedule, double share) {
  double longest = 0;
  std::set<const GroupSchedule*> seen;
  for (std::size_t group = 0; group < schedule.groups(); ++group) {
    const GroupSchedule& program = schedule.group_program(group);
    if (seen.insert(&program).second) longest = std::max(longest, group_seconds(machine, schedule, program, share));
  }
  return longest;
}

/// The least number of bytes that a chip sends, or receives if that is more.
double min_bytes(const CollectiveSchedule& schedule, const GroupSchedule& program) {
  const double payload = double(schedule.bytes(schedule.request().elements).value());
  const double positions = double(program.ranks()) / program.cores();
  const double others = payload * (positions - 1) / positions;
  const CollectiveTraits& kind = traits(schedule.request().kind);
  if (kind.rooted) return positions > 1 ? payload : 0;
  return kind.passes * others * (kind.personal ? program.cores() : 1);
}

}  // namespace

SegmentLengths segment_lengths(const TargetMachine& machine, hlo::ElementType type) {
  auto elements = [&](double bytes) { return std::max<std::int64_t>(1, std::int64_t(bytes) / hlo::byte_width(type)); };
  const CollectiveCode& code = machine.collective_code;
  return {.link = elements(machine.ici.payload_rate().si() * machine.ici.neighbour_latency().si()),
          .most = elements(double(code.largest_segment.value()))};
}

base::Duration modelled_time(const TargetMachine& machine, const CollectiveSchedule& schedule) {
  if (traits(schedule.request().kind).pairwise) {
    return base::Duration(permute_seconds(machine, schedule)) + launch(machine, schedule);
  }
  return base::Duration(longest_group_seconds(machine, schedule, 1)) + launch(machine, schedule);
}

base::Duration modelled_time_over_packets(const TargetMachine& machine, const CollectiveSchedule& schedule) {
  return base::Duration(longest_group_seconds(machine, schedule, share_where_packets_wait)) + launch(machine, schedule);
}

base::Duration closed_form(const TargetMachine& machine, const CollectiveSchedule& schedule) {
  const double rate = machine.ici.payload_rate().si(), latency = machine.ici.neighbour_latency().si();
  const double payload = double(schedule.bytes(schedule.request().elements).value());
  const CollectiveTraits& kind = traits(schedule.request().kind);
  const GroupSchedule& program = schedule.group_program(0);
  if (kind.passes == 0) {
    return base::Duration(payload / rate + latency);
  }
  double seconds = 0, share = payload;
  if (kind.personal) {
    for (const LogicalDimension& along : program.dimensions()) {
      const double n = along.size;
      seconds += (n - 1) * (program.cores() * payload / (2 * rate) + latency);
    }
    return base::Duration(seconds);
  }
  for (std::size_t d = program.dimensions().size(); d-- > 0;) {
    const double n = program.dimensions()[d].size;
    share /= n;
    seconds += (n - 1) * (share / rate + latency);
  }
  return base::Duration(seconds * kind.passes);
}

base::Duration lower_bound(const TargetMachine& machine, const CollectiveSchedule& schedule) {
  int links = 1;
  for (noc::NodeId chip = 0; chip < schedule.slice().nodes(); ++chip) {
    links = std::max(links, schedule.slice().links_from(chip));
  }
  double most = 0;
  for (std::size_t group = 0; group < schedule.groups(); ++group) {
    most = std::max(most, min_bytes(schedule, schedule.group_program(group)));
  }
  return base::Duration(most / (links * machine.ici.payload_rate().si()));
}

}  // namespace podsim::sw::collectives::schedule
