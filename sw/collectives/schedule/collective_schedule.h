// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/units.h"
#include "hlo/shape.h"
#include "sw/collectives/collective_groups.h"
#include "sw/collectives/schedule/group_schedule.h"

/// A collective of a slice: its groups, each with its schedule, and the routes between members. The same object serves
/// to move data, and to simulate at message level and at packet level. It is immutable. Lengths are in elements.
namespace podsim::sw::collectives::schedule {

struct CollectiveRequest {
  CollectiveKind kind = CollectiveKind::all_reduce;
  hlo::ElementType type = hlo::ElementType::bf16;
  std::int64_t elements = 1;  ///< of a rank's payload
};

/// The route of a segment from a member to the next one.
struct Route {
  noc::Coordinates hops{};
  std::int32_t target = 0;  ///< core of the slice
};

class CollectiveSchedule {
 public:
  struct Member {
    std::int32_t group = -1;      ///< -1 for a core in no group
    std::int32_t inner = 0;       ///< number among the group's cores of its chip
    std::int32_t index = 0;       ///< of its position
    noc::Coordinates position{};  ///< in the group's grid; in a collective-permute [0] is the role (patterns::Permute)
  };

  /// `groups` are pairs of source and target for a collective-permute.
  CollectiveSchedule(noc::Topology slice, int cores_per_chip, const CollectiveGroups& groups,
                     const CollectiveRequest& request, Algorithm algorithm, const SegmentLengths& lengths);

  const noc::Topology& slice() const { return slice_; }
  int cores_per_chip() const { return cores_per_chip_; }
  const CollectiveRequest& request() const { return request_; }
  Algorithm algorithm() const { return algorithm_; }
  base::Bytes bytes(std::int64_t elements) const { return base::Bytes(elements * hlo::byte_width(request_.type)); }

  std::int32_t cores() const { return std::int32_t(members_.size()); }
  bool takes_part(std::int32_t core) const { return members_[std::size_t(core)].group >= 0; }
  const Member& member(std::int32_t core) const { return members_[std::size_t(core)]; }
  /// The schedule that a core of a group runs.
  const GroupSchedule& program(std::int32_t core) const { return *groups_[group_of(core)].program; }
  /// Whether messages come to a core, stripe and direction from one other member only, and therefore in turn.
  bool to_neighbours() const { return to_neighbours_; }
  std::size_t groups() const { return groups_.size(); }
  const GroupSchedule& group_program(std::size_t group) const { return *groups_[group].program; }
  const GroupLayout& layout(std::int32_t core) const { return groups_[group_of(core)].layout; }
  /// The ranks of a core's group in the order of their blocks.
  const CollectiveGroups::Ranks& ranks(std::int32_t core) const { return groups_[group_of(core)].ranks; }

  /// Where a member sends a segment (as the receiver gets it).
  Route route(std::int32_t core, const Segment& segment) const;
  /// The member that sent a segment of a direct phase which has arrived.
  std::int32_t sender(std::int32_t core, const Segment& segment) const;
  /// The roles of a core in a collective-permute; false in any other collective.
  bool sends(std::int32_t core) const { return !target_.empty() && target_[std::size_t(core)] >= 0; }
  bool receives(std::int32_t core) const { return !source_.empty() && source_[std::size_t(core)] >= 0; }
  /// Whether a member is the root of a broadcast.
  bool is_root(std::int32_t core) const { return ranks(core)[0] == core; }
  /// Whether a member works on a stripe. In a broadcast the cores with the root's number in their chips work on all.
  bool works_on(std::int32_t core, int stripe) const;

 private:
  struct Group {
    CollectiveGroups::Ranks ranks;
    GroupLayout layout;
    std::shared_ptr<const GroupSchedule> program;
  };

  std::size_t group_of(std::int32_t core) const { return std::size_t(members_[std::size_t(core)].group); }
  void add_group(const CollectiveGroups::Ranks& ranks, const SegmentLengths& lengths);
  void add_pairs(const CollectiveGroups& pairs, const SegmentLengths& lengths);
  Route direct_route(const Member& from, const Group& group, const Segment& segment) const;
  Route neighbour(std::int32_t core, const Member& from, const Group& group, const Segment& segment) const;
  /// The member that is `count` members from another one, in the order of direct phases.
  std::int32_t shifted(const Member& from, const Group& group, std::int32_t count, int sign) const;

  noc::Topology slice_;
  int cores_per_chip_;
  CollectiveRequest request_;
  Algorithm algorithm_;
  std::vector<Group> groups_;
  std::vector<Member> members_;  ///< by core
  bool to_neighbours_ = true;
  std::vector<std::int32_t> target_, source_;  ///< in a collective-permute, by core; -1: none
};

}  // namespace podsim::sw::collectives::schedule
