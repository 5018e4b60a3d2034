// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sw/kernels/dependence_graph.h"

namespace podsim::sw {

/// An operation that issues `offset` cycles after its group.
struct GroupMember {
  int operation = 0;
  int offset = 0;
};

/// A dependence graph with what has to keep a fixed distance drawn together: the two operations of a FifoPair. If every
/// pop of a unit follows its push after the same number of cycles, results are popped in the order of their pushes
/// whatever that order is, and no more are under way than the unit finishes in that time.
///
/// Groups are numbered like their first nodes; events are groups without members.
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

  /// The most cycles from each group's issue to the end of all that depends on it, when iterations begin `interval`
  /// cycles apart; nothing if a group would depend on its own future.
  std::optional<std::vector<int>> heights(int interval) const;
  /// A rank for each group that follows the order of the code; events have that of the operation they come from.
  std::vector<int> code_order() const;
  /// The least interval from `from` on for which there are heights.
  int least_interval(int from) const;

 private:
  std::vector<int> group_, offset_;
  std::vector<std::vector<GroupMember>> members_;
  DependenceGraph groups_;
};

}  // namespace podsim::sw
