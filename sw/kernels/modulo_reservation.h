// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "hw/machine.h"
#include "sw/kernels/bundle_packer.h"
#include "sw/kernels/modulo_graph.h"

namespace podsim::sw {

/// Slots of the bundles that an iteration every `interval` cycles has, and the cross-lane unit, which takes an
/// operation of a pair every machine.cross_lane.interval cycles.
class ModuloReservation {
 public:
  ModuloReservation(const hw::Machine& machine, const std::vector<Operation>& operations, const ModuloGraph& graph,
                    int interval);

  /// Gives a group its slots if it issues in a cycle; whether there are any.
  bool place(int group, int cycle);
  void remove(int group, int cycle);
  /// Groups of which one at least stands in the way of `group` in a cycle, those first that need least go.
  std::vector<int> in_the_way(int group, int cycle) const;

 private:
  std::size_t row(int cycle) const { return std::size_t(cycle % interval_); }
  bool uses_cross_lane(int operation) const;
  bool cross_lane_free(int cycle) const;
  void mark_cross_lane(int cycle, int group);
  void remove_member(const GroupMember& member, int cycle);

  const std::vector<Operation>& operations_;
  const ModuloGraph& graph_;
  int interval_;
  int cross_lane_cycles_;
  BundlePacker packer_;
  std::vector<std::array<int, std::size_t(hw::isa::SlotKind::misc) + 1>> taken_;  ///< slots by row and kind
  std::vector<int> cross_lane_;                                                   ///< group by row, or -1
};

/// The least interval for which slots and units suffice.
int least_interval_of_slots(const hw::Machine& machine, const std::vector<Operation>& operations);

}  // namespace podsim::sw
