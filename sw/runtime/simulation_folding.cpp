// SPDX-License-Identifier: Apache-2.0
// Part of sw/runtime/simulation.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/percent.h"
#include "noc/folded_topology.h"
#include "sw/collectives/schedule/collective_estimate.h"
#include "sw/collectives/schedule/collective_folding.h"
#include "sw/runtime/simulation.h"
#include "sw/spmd/mesh/mesh_collectives.h"

/// Folding: which chips of a simulation represent others.
namespace podsim::sw::runtime {

noc::FoldedTopology Simulation::fold(const noc::Topology& slice) {
  if (!options_.fold || options_.detail == Detail::tile) return slice;
  const noc::FoldedTopology most = noc::FoldedTopology::fold_all(slice);
  std::vector<bool> folded;
  for (int dimension = 0; dimension < slice.dimensions(); ++dimension) folded.push_back(most.folded(dimension));
  if (most.is_folded()) take_small_permutes_by_formula();
  for (std::size_t i = 0; i < schedules_.size(); ++i) {
    if (by_formula_.contains(int(i))) continue;
    const noc::FoldedTopology allowed = collectives::schedule::fold_for(*schedules_[i]);
    for (std::size_t d = 0; d < folded.size(); ++d) folded[d] = folded[d] && allowed.folded(int(d));
  }
  bool refused = false;
  for (int d = 0; d < slice.dimensions(); ++d) {
    const bool varies = folded[std::size_t(d)] && branches_vary_along(slice, d);
    refused = refused || varies;
    folded[std::size_t(d)] = folded[std::size_t(d)] && !varies;
  }
  if (refused) result_.notes.push_back("chips that take different branches are simulated one by one");
  return {slice, folded};
}

/// Permutes that swap two axes of a mesh send in a different direction from every chip.
void Simulation::take_small_permutes_by_formula() {
  constexpr double small = 0.01;  // fraction of the collectives' time
  double all = 0, permutes = 0;
  for (const spmd::mesh::CountedCollective& counted : spmd::mesh::counted_collectives(program_)) {
    const collectives::schedule::CollectiveSchedule& schedule = *schedules_[std::size_t(counted.collective)];
    const double once = collectives::schedule::modelled_time(machine_, schedule).si();
    all += once * double(counted.count);
    if (schedule.request().kind != collectives::CollectiveKind::collective_permute) continue;
    if (collectives::schedule::fold_for(schedule).representatives().nodes() ==
        noc::FoldedTopology::fold_all(schedule.slice()).representatives().nodes())
      continue;
    permutes += once * double(counted.count);
    by_formula_[counted.collective] = base::Cycles(std::int64_t(std::ceil(once * machine_.clock.si())));
  }
  const bool asynchronous = std::ranges::any_of(program_.items, [&](const compiler::ProgramItem& item) {
    return item.kind == compiler::ProgramItem::Kind::collective && item.phase != ir::AsyncPhase::none &&
           by_formula_.contains(item.index);
  });
  if (permutes > small * all || asynchronous) by_formula_.clear();
  if (by_formula_.empty()) return;
  result_.notes.push_back(
      fmt::format("collective-permutes that go other ways from other chips, {} of the collectives' time, are "
                  "taken by formula",
                  base::text::percent(permutes / all, 2)));
}

/// True if a translation along a wrapped dimension maps the cores of some branch to other cores.
bool Simulation::branches_vary_along(const noc::Topology& slice, int dimension) const {
  const auto cores = std::int32_t(machine_.cores_per_chip);
  return std::ranges::any_of(program_.core_sets, [&](const std::vector<std::int32_t>& set) {
    return std::ranges::any_of(set, [&](std::int32_t core) {
      const noc::NodeId chip = core / cores;
      if (chip >= slice.nodes()) return false;
      return !std::ranges::binary_search(set, *slice.neighbour(chip, dimension, +1) * cores + core % cores);
    });
  });
}

}  // namespace podsim::sw::runtime
