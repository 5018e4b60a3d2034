// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/slice_part.h"

#include <algorithm>
#include <array>
#include <set>

namespace podsim::sw::collectives::engine {
namespace {

using Ranks = CollectiveGroups::Ranks;

struct Box {
  noc::Coordinates first{}, last{};

  void include(const noc::Coordinates& at) {
    for (std::size_t d = 0; d < at.size(); ++d) {
      first[d] = std::min(first[d], at[d]);
      last[d] = std::max(last[d], at[d]);
    }
  }
  std::int32_t size(int d) const { return last[std::size_t(d)] - first[std::size_t(d)] + 1; }
};

/// Divides the groups of a slice into parts.
class Division {
 public:
  Division(const noc::Topology& slice, int cores, const CollectiveGroups& groups)
      : slice_(slice), cores_(cores), groups_(groups.groups()), taken_(groups_.size()) {
    groups_of_.assign(std::size_t(slice.nodes()) * std::size_t(cores), {-1, -1});
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      for (const std::int32_t core : groups_[group]) {
        auto& of = groups_of_[std::size_t(core)];  // a core is in two pairs at most
        of[of[0] < 0 ? 0 : 1] = std::int32_t(group);
      }
    }
  }

  /// The groups of the part that a group is in, and its box.
  std::vector<std::int32_t> part_of(std::int32_t group, Box& box) {
    const noc::Coordinates at = slice_.coordinates(groups_[std::size_t(group)][0] / cores_);
    box = {at, at};
    std::vector<std::int32_t> members;
    take(group, members, box);
    for (std::size_t before = 0; before < members.size();) {
      before = members.size();
      complete(box);
      collect(members, box);
    }
    std::ranges::sort(members);
    return members;
  }
  bool taken(std::size_t group) const { return taken_[group]; }

 private:
  void take(std::int32_t group, std::vector<std::int32_t>& members, Box& box) {
    if (group < 0 || taken_[std::size_t(group)]) return;
    taken_[std::size_t(group)] = true;
    members.push_back(group);
    for (const std::int32_t core : groups_[std::size_t(group)]) box.include(slice_.coordinates(core / cores_));
  }
  /// Extends a box to whole dimensions where routes might go around, or where it lies in several pods.
  void complete(Box& box) const {
    for (int d = 0; d < slice_.dimensions(); ++d) {
      const auto at = std::size_t(d);
      const std::int64_t pod = d == 0 ? slice_.pod_length() : 0;
      const bool around = slice_.wraps(d) && 2 * (box.size(d) - 1) >= slice_.size(d);
      if (!around && (pod == 0 || box.first[at] / pod == box.last[at] / pod)) continue;
      box.first[at] = 0;
      box.last[at] = slice_.size(d) - 1;
    }
  }
  /// Takes all groups with a member in the box.
  void collect(std::vector<std::int32_t>& members, Box& box) {
    const Box within = box;
    noc::Coordinates at = within.first;
    for (;;) {
      const std::int32_t first = slice_.node(at) * cores_;
      for (std::int32_t core = first; core < first + cores_; ++core) {
        for (const std::int32_t group : groups_of_[std::size_t(core)]) take(group, members, box);
      }
      int d = 0;
      while (d < slice_.dimensions() && at[std::size_t(d)] == within.last[std::size_t(d)]) {
        at[std::size_t(d)] = within.first[std::size_t(d)];
        ++d;
      }
      if (d == slice_.dimensions()) return;
      ++at[std::size_t(d)];
    }
  }

  const noc::Topology& slice_;
  int cores_;
  const std::vector<Ranks>& groups_;
  std::vector<bool> taken_;
  std::vector<std::array<std::int32_t, 2>> groups_of_;  ///< by core; -1: none
};

void append(std::string& content, std::int64_t number) {
  content.append(reinterpret_cast<const char*>(&number), sizeof number);
}

noc::Topology topology_of(const noc::Topology& slice, const Box& box) {
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
  for (int d = 0; d < slice.dimensions(); ++d) {
    sizes.push_back(box.size(d));
    wraps.push_back(slice.wraps(d) && box.size(d) == slice.size(d));
  }
  const bool whole = box.size(0) == slice.size(0);
  return {sizes, wraps, whole ? slice.pod_length() : 0};
}

}  // namespace

std::vector<SlicePart> all_parts(const noc::Topology& slice, int cores_per_chip, const CollectiveGroups& groups) {
  Division division(slice, cores_per_chip, groups);
  std::vector<SlicePart> parts;
  for (std::size_t group = 0; group < groups.groups().size(); ++group) {
    if (division.taken(group) || groups.groups()[group].empty()) continue;
    Box box;
    const std::vector<std::int32_t> members = division.part_of(std::int32_t(group), box);
    SlicePart& part = parts.emplace_back(SlicePart{topology_of(slice, box), {}, {}, box.first});
    append(part.content, part.slice.pod_length());
    for (int d = 0; d < slice.dimensions(); ++d) append(part.content, 2 * part.slice.size(d) + part.slice.wraps(d));
    for (const std::int32_t member : members) {
      const Ranks& ranks = groups.groups()[std::size_t(member)];
      Ranks& moved = part.groups.emplace_back();
      append(part.content, -std::int64_t(ranks.size()));
      for (const std::int32_t core : ranks) {
        noc::Coordinates at = slice.coordinates(core / cores_per_chip);
        for (int d = 0; d < slice.dimensions(); ++d) at[std::size_t(d)] -= box.first[std::size_t(d)];
        moved.push_back(part.slice.node(at) * cores_per_chip + core % cores_per_chip);
        append(part.content, moved.back());
      }
    }
  }
  return parts;
}

std::vector<SlicePart> different_parts(const noc::Topology& slice, int cores_per_chip, const CollectiveGroups& groups) {
  std::vector<SlicePart> parts;
  std::set<std::string> known;
  for (SlicePart& part : all_parts(slice, cores_per_chip, groups)) {
    if (known.insert(part.content).second) parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace podsim::sw::collectives::engine
