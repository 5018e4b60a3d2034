// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/compiler/program.h"
#include "sw/placement/mesh_placement.h"

/// Relates the collectives of a partitioned program to the axes of its mesh.
namespace podsim::sw::placement {

/// The sub-axes that a collective joins: those along which the members of a group differ, if every group consists of
/// all partitions that differ only along them, as in the collectives that the partitioner writes. For a
/// collective-permute, whose groups are pairs, all sub-axes along which source and target of some pair differ. nullopt
/// for other groups. Members are partition numbers; an empty list means one group of all partitions.
std::optional<hlo::spmd::mesh::SubAxes> axes_of(const hlo::spmd::mesh::Mesh& mesh, collectives::CollectiveKind kind,
                                                const std::vector<std::vector<std::int32_t>>& groups);

/// Writes the joined axes into every collective of a program that is not placed yet: "x", "x,y", "x[1:3]"; "none" if
/// every group has one member; "other" for groups that do not follow axes.
void name_axes(compiler::Program& program, const hlo::spmd::mesh::Mesh& mesh);

/// Replaces partition numbers by core numbers in a program: in the groups of its collectives and in the sets of cores
/// that take a branch. A compiled program uses partition numbers until it is placed.
void place(compiler::Program& program, const MeshPlacement& placement);

/// A collective of a program and how often a step executes it, trip counts of loops multiplied.
struct CountedCollective {
  int collective = 0;  ///< into Program::collectives
  std::int64_t count = 0;
};
std::vector<CountedCollective> counted_collectives(const compiler::Program& program);

}  // namespace podsim::sw::placement
