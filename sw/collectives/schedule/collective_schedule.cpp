// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/collective_schedule.h"

#include <algorithm>

#include "sw/collectives/patterns/direct.h"

namespace podsim::sw::collectives::schedule {

namespace {

bool sends_to_neighbours(const GroupSchedule& program) {
  for (int order = 0; order < program.orders(); ++order) {
    for (const Phase& phase : program.phases(order)) {
      if (!phase.pattern->to_neighbours()) return false;
    }
  }
  return true;
}

}  // namespace

CollectiveSchedule::CollectiveSchedule(noc::Topology slice, int cores_per_chip, const CollectiveGroups& groups,
                                       const CollectiveRequest& request, Algorithm algorithm,
                                       const SegmentLengths& lengths)
    : slice_(std::move(slice)),
      cores_per_chip_(cores_per_chip),
      request_(request),
      algorithm_(algorithm),
      members_(std::size_t(slice_.nodes()) * std::size_t(cores_per_chip)) {
  if (traits(request.kind).pairwise) {
    add_pairs(groups, lengths);
  } else {
    for (const auto& ranks : groups.groups()) add_group(ranks, lengths);
  }
  to_neighbours_ = std::ranges::all_of(groups_, [](const Group& group) { return sends_to_neighbours(*group.program); });
}

void CollectiveSchedule::add_group(const CollectiveGroups::Ranks& ranks, const SegmentLengths& lengths) {
  Group group{.ranks = ranks, .layout = lay_out(ranks, slice_, cores_per_chip_), .program = nullptr};
  // Groups of one shape in boxes of one size share a program.
  for (const Group& other : groups_) {
    if (other.layout.cores == group.layout.cores && other.layout.dimensions == group.layout.dimensions &&
        other.layout.box == group.layout.box) {
      group.program = other.program;
      break;
    }
  }
  if (!group.program) {
    group.program =
        std::make_shared<GroupSchedule>(group.layout, request_.kind, algorithm_, request_.elements, lengths);
  }
  const GroupLayout& layout = group.layout;
  for (std::size_t i = 0; i < layout.members.size(); ++i) {
    Member& member = members_[std::size_t(layout.members[i])];
    member.group = std::int32_t(groups_.size());
    member.inner = std::int32_t(i) % layout.cores;
    member.index = std::int32_t(i) / layout.cores;
    member.position = layout.position(member.index);
  }
  groups_.push_back(std::move(group));
}

void CollectiveSchedule::add_pairs(const CollectiveGroups& pairs, const SegmentLengths& lengths) {
  target_.assign(members_.size(), -1);
  source_.assign(members_.size(), -1);
  const GroupLayout pair{.cores = 1, .dimensions = {{.size = 2}}, .members = {0, 1}};
  groups_.push_back(
      {.ranks = pairs.groups()[0],
       .layout = pair,
       .program = std::make_shared<GroupSchedule>(pair, request_.kind, algorithm_, request_.elements, lengths)});
  for (const auto& ends : pairs.groups()) {
    target_[std::size_t(ends[0])] = ends[1];
    source_[std::size_t(ends[1])] = ends[0];
    for (std::int32_t core : ends) members_[std::size_t(core)].group = 0;
    members_[std::size_t(ends[0])].position[0] |= patterns::Permute::sends;
    members_[std::size_t(ends[1])].position[0] |= patterns::Permute::receives;
  }
}

Route CollectiveSchedule::route(std::int32_t core, const Segment& segment) const {
  const Member& from = member(core);
  const Group& group = groups_[std::size_t(from.group)];
  if (!target_.empty()) {
    const std::int32_t target = target_[std::size_t(core)];
    return {slice_.offset(core / cores_per_chip_, target / cores_per_chip_), target};
  }
  if (group.program->pattern(segment).to_neighbours()) return neighbour(core, from, group, segment);
  return direct_route(from, group, segment);
}

Route CollectiveSchedule::neighbour(std::int32_t core, const Member& from, const Group& group,
                                    const Segment& segment) const {
  const Phase& phase = group.program->phase_of(segment);
  const int d = phase.dimension;
  const LogicalDimension& dimension = group.layout.dimensions[std::size_t(d)];
  noc::Coordinates there = from.position;
  std::int32_t& position = there[std::size_t(d)];
  position = phase.pattern->next(segment, position);
  const std::int32_t index = group.layout.index(there);
  Route route{.target =
                  group.layout.members[std::size_t(index) * std::size_t(group.layout.cores) + std::size_t(from.inner)]};
  if (dimension.physical < 0) {
    route.hops = slice_.offset(core / cores_per_chip_, route.target / cores_per_chip_);
  } else {
    const std::int32_t steps = dimension.closed ? segment.direction : position - from.position[std::size_t(d)];
    route.hops[std::size_t(dimension.physical)] = steps * dimension.stride;
  }
  return route;
}

std::int32_t CollectiveSchedule::shifted(const Member& from, const Group& group, std::int32_t count, int sign) const {
  const GroupLayout& layout = group.layout;
  const std::int32_t inner = (from.inner + sign * (count % layout.cores) + layout.cores) % layout.cores;
  const noc::Coordinates steps = layout.position(count / layout.cores);
  noc::Coordinates there = from.position;
  for (std::size_t d = 0; d < layout.dimensions.size(); ++d) {
    const std::int32_t size = layout.dimensions[d].size;
    there[d] = (there[d] + sign * steps[d] + size) % size;
  }
  return layout.members[std::size_t(layout.index(there)) * std::size_t(layout.cores) + std::size_t(inner)];
}

Route CollectiveSchedule::direct_route(const Member& from, const Group& group, const Segment& segment) const {
  Route route{.target = shifted(from, group, segment.distance, +1)};
  const Member& to = member(route.target);
  for (std::size_t d = 0; d < group.layout.dimensions.size(); ++d) {
    const LogicalDimension& dimension = group.layout.dimensions[d];
    if (dimension.physical < 0) {
      route.hops = slice_.offset(
          group.layout.members[std::size_t(from.index) * std::size_t(group.layout.cores)] / cores_per_chip_,
          route.target / cores_per_chip_);
      return route;
    }
    std::int32_t steps = to.position[d] - from.position[d];
    if (dimension.closed) {
      steps = (steps + dimension.size) % dimension.size;
      const bool opposite = 2 * steps == dimension.size;
      if (2 * steps > dimension.size || (opposite && segment.stripe % 2 == 1)) steps -= dimension.size;
    }
    route.hops[std::size_t(dimension.physical)] = steps * dimension.stride;
  }
  return route;
}

bool CollectiveSchedule::works_on(std::int32_t core, int stripe) const {
  const Member& worker = member(core);
  if (traits(request_.kind).rooted) return worker.inner == member(ranks(core)[0]).inner;
  return program(core).works_on(worker.inner, stripe);
}

std::int32_t CollectiveSchedule::sender(std::int32_t core, const Segment& segment) const {
  if (!source_.empty()) return source_[std::size_t(core)];
  const Member& to = member(core);
  return shifted(to, groups_[std::size_t(to.group)], segment.distance, -1);
}

}  // namespace podsim::sw::collectives::schedule
