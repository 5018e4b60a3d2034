// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "base/units.h"
#include "hw/machine.h"
#include "sw/compiler/program.h"
#include "sw/spmd/mesh_placement.h"

/// Where the axes of a mesh lie on the torus, chosen by what the collectives of the program would take there.
namespace podsim::sw {

/// What the collectives of a program, whose groups name partitions, take by formula (collective_estimate.h) when each
/// runs alone: the sum over a step.
base::Duration modelled_collective_time(const hw::Machine& machine, const MeshPlacement& placement,
                                        const Program& program);

struct PlacementChoice {
  MeshPlacement placement;
  base::Duration modelled;  ///< collective time of a step there
  base::Duration natural;   ///< in the order of the cores
  int tried = 0;            ///< placements
};

/// The placement with the shortest modelled collective time among those in which every axis covers a box: its positions
/// are a product of parts of the dimensions of the slice, the cores of a chip being one. Ties go to the order of the
/// cores, then to the first one tried; at most `most_placements` are tried, in a fixed order. Axes with a place in
/// `fixed` stay there. InputError when no placement leaves the fixed ones alone.
PlacementChoice choose_placement(const hw::Machine& machine, const Mesh& mesh, const noc::Topology& slice,
                                 const std::vector<std::optional<AxisPlace>>& fixed, const Program& program);

inline constexpr int most_placements = 4096;

}  // namespace podsim::sw
