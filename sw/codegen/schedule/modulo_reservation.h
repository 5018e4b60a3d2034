// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "hw/machine.h"
#include "sw/codegen/schedule/bundle_packer.h"
#include "sw/codegen/schedule/modulo_graph.h"

namespace podsim::sw::codegen::schedule {

/// Reservation table of a loop with an iteration every `interval` cycles: the slots of its bundles, the cross-lane
/// unit, which accepts an operation every machine.cross_lane.interval cycles, and the slots of units for results, which
/// a FifoPair takes from its push to its pop.
class ModuloReservation {
 public:
  ModuloReservation(const hw::Machine& machine, const std::vector<registers::Operation>& operations,
                    const ModuloGraph& graph, int interval);

  /// Reserves the slots of a group that issues in a cycle. Returns false if they are not free.
  bool place(int group, int cycle);
  void remove(int group, int cycle);
  /// Returns groups that occupy resources of `group` in a cycle. Removing them one by one makes room for it; groups in
  /// the same kind of slot or in the cross-lane unit come first, then others in the same bundles.
  std::vector<int> conflicts(int group, int cycle) const;

 private:
  std::size_t row(int cycle) const { return std::size_t(cycle % interval_); }
  bool uses_cross_lane(int operation) const;
  bool cross_lane_free(int cycle) const;
  void mark_cross_lane(int cycle, int group);
  bool results_fit(int group, int cycle) const;
  void mark_results(int group, int cycle, int change);
  void remove_member(const GroupMember& member, int cycle);

  const hw::Machine& machine_;
  const std::vector<registers::Operation>& operations_;
  const ModuloGraph& graph_;
  int interval_;
  int cross_lane_cycles_;
  BundlePacker packer_;
  std::vector<std::array<int, std::size_t(hw::isa::SlotKind::misc) + 1>> taken_;  ///< slots by row and kind
  std::vector<int> cross_lane_;                                                   ///< group in the unit by row, or -1
  std::array<std::vector<int>, hw::isa::result_units> in_flight_;                 ///< results by unit and row
  std::vector<bool> placed_;                                                      ///< by group
};

/// Returns the least interval for which slots and units suffice.
int min_interval_of_slots(const hw::Machine& machine, const std::vector<registers::Operation>& operations,
                          const ModuloGraph& graph);

}  // namespace podsim::sw::codegen::schedule
