// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/units.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/compiler/program.h"
#include "sw/placement/mesh_placement.h"
#include "sw/target_machine.h"

/// Chooses the placement of a mesh on the torus by the modelled time of the program's collectives.
namespace podsim::sw::placement {

/// The sum over a step of the times of a program's collectives, each running alone, by which algorithms are chosen too
/// (sw/collectives/engine/algorithm_choice.h). The program's groups name partitions.
base::Duration modelled_collective_time(const TargetMachine& machine, const MeshPlacement& placement,
                                        const compiler::Program& program);

struct PlacementChoice {
  MeshPlacement placement;
  base::Duration modelled;  ///< collective time of a step with this placement
  base::Duration natural;   ///< collective time of a step with partition p on core p
  int tried = 0;            ///< number of placements that were evaluated
  std::shared_ptr<collectives::engine::CollectiveTimes> times = {};  ///< of collectives, which were found for this
};

/// Returns the placement with the shortest modelled collective time among those in which every axis covers a box: its
/// positions are a product of factors of the slice's dimensions, the cores of a chip counting as a dimension. Ties go
/// to the order of the cores, then to the placement that was tried first. At most `max_placements` are tried, in a
/// fixed order, by formula (CollectiveTimes::estimate), and the best eight of them by the times above. Times within a
/// thousandth are a tie. Axes with a placement in `fixed` keep it. Throws base::InputError if the other axes do not fit
/// into the rest of the slice.
PlacementChoice choose_placement(const TargetMachine& machine, const hlo::spmd::mesh::Mesh& mesh,
                                 const noc::Topology& slice, const std::vector<std::optional<AxisPlacement>>& fixed,
                                 const compiler::Program& program);

/// The least collective time of those placements by formula, with no axis fixed: to rank many meshes.
base::Duration least_collective_time(const TargetMachine& machine, const hlo::spmd::mesh::Mesh& mesh,
                                     const noc::Topology& slice, const compiler::Program& program);

inline constexpr int max_placements = 4096;

}  // namespace podsim::sw::placement
