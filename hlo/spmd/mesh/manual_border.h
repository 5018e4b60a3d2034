// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"
#include "hlo/spmd/mesh/axis_sharding.h"

namespace podsim::hlo::spmd::mesh {

/// Where a program begins or ends to work on shards along a part of the mesh, as a shard_map over some of its axes. In
/// between, a value is the shard of one position along `axes`; it is divided further along the others only.
struct ManualBorder {
  bool enters = false;  ///< SPMDFullToShardShape: the result is the shard; else the operand is
  SubAxes axes;
};

/// The border that an instruction is; nullopt if it is none, or if the shards are along all of the mesh.
std::optional<ManualBorder> manual_border(const Mesh& mesh, const hlo::Computation& computation, hlo::InstructionId id);

/// `sub_axes` without those that are in `excluded`, or only those.
SubAxes without(const SubAxes& sub_axes, const SubAxes& excluded);
SubAxes within(const SubAxes& sub_axes, const SubAxes& included);

}  // namespace podsim::hlo::spmd::mesh
