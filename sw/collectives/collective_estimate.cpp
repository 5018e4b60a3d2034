// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/collective_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "sw/collectives/collective_engine.h"

namespace podsim::sw::collectives {
namespace {

/// Share of a link's rate that an all-to-all of direct sends reaches once it fills all queues. At packet level it is
/// 0.73 (4x4, 1 MiB) to 0.50 (8x8, 4 MiB).
constexpr double saturated_throughput = 0.6;

/// Groups that share the links of the first group's first chip: several where they have one core each of their chips.
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

/// Seconds that a stage of one order takes, with what all colours of that order send.
class PhaseModel {
 public:
  PhaseModel(const hw::Machine& machine, const CollectiveSchedule& schedule, const GroupSchedule& program)
      : machine_(machine),
        schedule_(schedule),
        program_(program),
        rate_(machine.ici.payload_rate().si() / groups_on_a_chip(schedule)) {}

  double seconds(const Phase& phase, int stripes) const {
    const double chunk = bytes(phase.chunk) * stripes;
    switch (phase.kind) {
      case PhaseKind::direct:
        return direct(phase, stripes);
      case PhaseKind::exchange:
        return exchange(phase, stripes);
      case PhaseKind::broadcast:
        return steps(phase) * (message(phase) / rate_ + latency(phase)) + chunk / rate_;
      case PhaseKind::reduce_scatter:
      case PhaseKind::all_gather:
        break;
    }
    const bool both_directions = phase.flow == Flow::ring;
    const double in_flight = stripes * std::max(1, phase.segments[0]);
    double wire = chunk / rate_ / (both_directions ? 2 : 1);
    if (phase.flow != Flow::line) {
      // An open dimension's ring comes back over all its links; a stride shares every link with its neighbours.
      const LogicalDimension& along = program_.dimensions()[std::size_t(phase.dimension)];
      wire *= along.physical < 0 ? 2 : along.stride * (along.closed || !both_directions ? 1 : 2);
      const double step = std::max(wire, wire / in_flight + latency(phase));
      const double return_hops = along.physical >= 0 && !along.closed ? (phase.size - 2) * along.stride : 0;
      return (phase.size - 1) * step + return_hops * machine_.ici.hop_latency.si();
    }
    const LogicalDimension& along = program_.dimensions()[std::size_t(phase.dimension)];
    return (phase.size - 1) * (std::max(wire * along.stride, message(phase) / rate_) + latency(phase));
  }

 private:
  double bytes(std::int64_t elements) const { return double(schedule_.bytes(elements).value()); }
  double message(const Phase& phase) const {
    return bytes(phase.chunk) * phase.chunks_per_message / std::max({1, phase.segments[0], phase.segments[1]});
  }
  double latency(const Phase& phase) const {
    double processing = message(phase) / machine_.hbm.stream_rate.si();
    if (phase.kind != PhaseKind::reduce_scatter) processing = 0;
    return machine_.ici.remote_dma_latency.si() + processing;
  }
  static double steps(const Phase& phase) { return phase.flow == Flow::ring ? phase.size / 2 : phase.size - 1; }
  /// The link in the middle carries most, and what it carries last goes half the way to the end of a line; or what goes
  /// all the way takes longest.
  double exchange(const Phase& phase, int stripes) const {
    const LogicalDimension& along = program_.dimensions()[std::size_t(phase.dimension)];
    const bool line = phase.flow == Flow::line;
    const double n = phase.size, chunk = bytes(phase.chunk), segments = std::max(1, phase.segments[0]);
    const double crossing = line ? std::floor(n * n / 4) : n * n / 8;
    const double hops = along.physical < 0 ? 2 : along.stride;
    const double wire = crossing * chunk * stripes * program_.cores() * hops / rate_;
    const double step = n / 4 * chunk / segments / rate_ + machine_.ici.remote_dma_latency.si() +
                        (hops - 1) * machine_.ici.hop_latency.si();
    return std::max(wire + (line ? n / 2 : 1) * step, (line ? n - 1 : n / 2) * step + chunk / rate_);
  }
  /// The link in the middle of the longest dimension carries most, of its rate what dimension-order routing leaves
  /// where every queue is full.
  double direct(const Phase& phase, int stripes) const {
    double most = 1, hops = 0;
    for (const LogicalDimension& along : program_.dimensions()) {
      const double n = along.size, positions = double(program_.ranks()) / program_.cores();
      const double crossing = along.physical >= 0 && along.closed ? n * n / 8 : n * n / 4;
      most = std::max(most, crossing * positions / n * program_.cores() * program_.cores() * std::max(1, along.stride));
      hops += n / 2;
    }
    return most * bytes(phase.chunk) * stripes / (saturated_throughput * rate_) + hops * machine_.ici.hop_latency.si() +
           machine_.ici.remote_dma_latency.si();
  }

  const hw::Machine& machine_;
  const CollectiveSchedule& schedule_;
  const GroupSchedule& program_;
  double rate_;  ///< of a link that the groups on a chip share
};

/// Every pair's array at once: what the busiest link carries, and the longest way.
double permute_seconds(const hw::Machine& machine, const CollectiveSchedule& schedule) {
  const noc::Topology& slice = schedule.slice();
  std::vector<std::int64_t> arrays(std::size_t(slice.link_ids()), 0);
  std::int64_t most = 0;
  std::size_t hops = 0;
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core) || schedule.member(core).position[0] == 0) continue;
    const auto links = slice.route(core / schedule.cores_per_chip(), schedule.route(core, {}).hops);
    for (const noc::Link& link : links) most = std::max(most, ++arrays[std::size_t(link.id)]);
    hops = std::max(hops, links.size());
  }
  const double bytes = double(schedule.bytes(schedule.request().elements).value());
  if (hops == 0) return bytes / machine.hbm.stream_rate.si();
  return double(most) * bytes / machine.ici.payload_rate().si() + machine.ici.remote_dma_latency.si() +
         double(hops - 1) * machine.ici.hop_latency.si();
}

double group_seconds(const hw::Machine& machine, const CollectiveSchedule& schedule, const GroupSchedule& program) {
  const PhaseModel model(machine, schedule, program);
  double total = 0;
  const std::size_t phases = program.phases(0).size();
  const bool broadcast = program.kind() == CollectiveKind::broadcast;
  for (std::size_t i = 0; i < phases; ++i) {
    std::array<double, noc::max_dimensions> along{};
    for (int order = 0; order < program.orders(); ++order) {
      const Phase& phase = program.phases(order)[i];
      along[std::size_t(phase.dimension)] += model.seconds(phase, program.stripes_of(order));
    }
    const double longest = *std::ranges::max_element(along);
    total = broadcast ? std::max(total, longest) : total + longest;
  }
  return total;
}

/// Bytes that a chip sends or receives at least, whichever is more.
double least_bytes(const CollectiveSchedule& schedule, const GroupSchedule& program) {
  const double payload = double(schedule.bytes(schedule.request().elements).value());
  const double positions = double(program.ranks()) / program.cores();
  const double others = payload * (positions - 1) / positions;
  switch (schedule.request().kind) {
    case CollectiveKind::all_reduce:
      return 2 * others;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      return others;
    case CollectiveKind::all_to_all:
      return others * program.cores();
    case CollectiveKind::broadcast:
      return positions > 1 ? payload : 0;
    case CollectiveKind::collective_permute:
      return 0;
  }
  return 0;
}

}  // namespace

base::Duration modelled_time(const hw::Machine& machine, const CollectiveSchedule& schedule) {
  if (schedule.request().kind == CollectiveKind::collective_permute) {
    return base::Duration(permute_seconds(machine, schedule)) + machine.compiler.collective_launch;
  }
  double longest = 0;
  std::set<const GroupSchedule*> seen;
  for (std::size_t group = 0; group < schedule.groups(); ++group) {
    const GroupSchedule& program = schedule.group_program(group);
    if (seen.insert(&program).second) longest = std::max(longest, group_seconds(machine, schedule, program));
  }
  return base::Duration(longest) + machine.compiler.collective_launch;
}

base::Duration closed_form(const hw::Machine& machine, const CollectiveSchedule& schedule) {
  const double rate = machine.ici.payload_rate().si(), latency = machine.ici.remote_dma_latency.si();
  const double payload = double(schedule.bytes(schedule.request().elements).value());
  const CollectiveKind kind = schedule.request().kind;
  const GroupSchedule& program = schedule.group_program(0);
  if (kind == CollectiveKind::broadcast || kind == CollectiveKind::collective_permute) {
    return base::Duration(payload / rate + latency);
  }
  double seconds = 0, share = payload;
  if (kind == CollectiveKind::all_to_all) {
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
  return base::Duration(seconds * (kind == CollectiveKind::all_reduce ? 2 : 1));
}

base::Duration lower_bound(const hw::Machine& machine, const CollectiveSchedule& schedule) {
  int links = 1;
  for (noc::NodeId chip = 0; chip < schedule.slice().nodes(); ++chip) {
    links = std::max(links, schedule.slice().links_from(chip));
  }
  double most = 0;
  for (std::size_t group = 0; group < schedule.groups(); ++group) {
    most = std::max(most, least_bytes(schedule, schedule.group_program(group)));
  }
  return base::Duration(most / (links * machine.ici.payload_rate().si()));
}

AlgorithmChoice choose_algorithm(const hw::Machine& machine, const noc::Topology& slice, const CollectiveGroups& groups,
                                 const CollectiveRequest& request) {
  AlgorithmChoice choice;
  const SegmentLengths lengths = segment_lengths(machine, request.type);
  for (Algorithm algorithm : algorithms_for(request.kind, slice.dimensions())) {
    auto schedule = std::make_shared<const CollectiveSchedule>(slice, int(machine.cores_per_chip), groups, request,
                                                               algorithm, lengths);
    const base::Duration modelled = modelled_time(machine, *schedule);
    const bool best = choice.candidates.empty() || modelled < choice.candidates[0].modelled;
    choice.candidates.insert(best ? choice.candidates.begin() : choice.candidates.end(), {algorithm, modelled});
    if (best) choice.schedule = std::move(schedule);
  }
  std::ranges::stable_sort(choice.candidates, {}, &AlgorithmChoice::Candidate::modelled);
  const AlgorithmChoice::Candidate& first = choice.candidates[0];
  choice.reason = fmt::format("{} is modelled at {}", to_string(first.algorithm), base::to_string(first.modelled));
  if (choice.candidates.size() == 1) choice.reason = fmt::format("{} is the only one", to_string(first.algorithm));
  for (std::size_t i = 1; i < choice.candidates.size(); ++i) {
    choice.reason += fmt::format("{}{} at {}", i == 1 ? "; " : ", ", to_string(choice.candidates[i].algorithm),
                                 base::to_string(choice.candidates[i].modelled));
  }
  return choice;
}

}  // namespace podsim::sw::collectives
