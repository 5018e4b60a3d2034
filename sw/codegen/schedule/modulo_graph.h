// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sw/codegen/schedule/dependence_graph.h"

namespace podsim::sw::codegen::schedule {

/// An operation that issues `offset` cycles after its group.
struct GroupMember {
  int operation = 0;
  int offset = 0;
};

/// A dependence graph in which nodes that keep a fixed distance form a group: the two operations of a FifoPair. If
/// every pop of a unit follows its push after the same number of cycles, results are popped in the order of their
/// pushes, whatever that order is. How many are in flight is up to ModuloReservation.
///
/// Groups are numbered in the order of their first nodes. Events are groups without members.
class ModuloGraph {
 public:
  ModuloGraph(const DependenceGraph& graph);

  int groups() const { return int(members_.size()); }
  std::span<const GroupMember> members(int group) const { return members_[std::size_t(group)]; }
  int group_of(int node) const { return group_[std::size_t(node)]; }
  int offset_of(int node) const { return offset_[std::size_t(node)]; }
  const std::vector<Dependence>& dependences() const { return groups_.dependences(); }
  std::span<const Dependence> from(int group) const { return groups_.from(group); }
  std::span<const Dependence> to(int group) const { return groups_.to(group); }

  /// Returns the maximum number of cycles from each group's issue to the end of all groups that depend on it, if
  /// iterations begin `interval` cycles apart. Returns std::nullopt if that interval is too small for a recurrence.
  std::optional<std::vector<int>> heights(int interval) const;
  /// Returns a rank for each group, in the order of the code. Events have the rank of the operation that causes them.
  std::vector<int> code_order() const;
  /// Returns the least interval, not less than `from`, for which there are heights.
  int min_interval(int from) const;

 private:
  std::vector<int> group_, offset_;
  std::vector<std::vector<GroupMember>> members_;
  DependenceGraph groups_;
};

}  // namespace podsim::sw::codegen::schedule
