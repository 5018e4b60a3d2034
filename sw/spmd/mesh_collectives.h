// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/compiler/program.h"
#include "sw/spmd/mesh_placement.h"

/// The collectives of a partitioned program, by the axes of its mesh.
namespace podsim::sw {

/// The sub-axes along which the members of every group differ, where each group is all partitions that differ along
/// them alone: what a collective of the partitioner joins. Of pairs, all sub-axes along which source and target of some
/// pair differ. Nothing for other groups. Members are partitions; an empty list is one group of all.
std::optional<SubAxes> axes_of(const Mesh& mesh, CollectiveKind kind,
                               const std::vector<std::vector<std::int32_t>>& groups);

/// Writes into every collective of a program that is not placed yet which axes it joins: "x", "x,y", "x[1:3]"; "other"
/// for groups that follow no axes.
void name_axes(Program& program, const Mesh& mesh);

/// Puts a program that counts partitions as cores on the cores of its placement: its groups, and who takes a branch.
void place(Program& program, const MeshPlacement& placement);

/// One of a program's collectives and how often a core takes part in it in a step; loops multiply.
struct CountedCollective {
  int collective = 0;  ///< into Program::collectives
  std::int64_t count = 0;
};
std::vector<CountedCollective> counted_collectives(const Program& program);

}  // namespace podsim::sw
