// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "hlo/graph.h"
#include "hlo/spmd/mesh/device_numbering.h"
#include "hlo/spmd/partition/sharding_cost.h"
#include "hlo/spmd/propagate/device_branches.h"
#include "hlo/spmd/propagate/weight_update_sharding.h"
#include "hlo/transform/rematerialize.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/program.h"
#include "sw/placement/mesh_placement.h"
#include "workloads/job/checkpoint.h"

namespace podsim::sw::driver {

/// What is known of a program of all cores that was partitioned.
struct Partitioned {
  placement::MeshText mesh;
  /// By position in the mesh: the device in the program's text. Empty: the same.
  hlo::spmd::mesh::DeviceNumbers devices;
  std::vector<hlo::spmd::propagate::UnplacedValue>
      unplaced;  ///< values on one device that the program has on all of them
  std::vector<hlo::spmd::propagate::UnplacedValue> overruled;  ///< values whose annotations are not used
  base::Bytes parameters;                                      ///< of the whole program
  hlo::spmd::propagate::UpdateMemory update_memory;            ///< with sharded updates, else 0
  hlo::spmd::propagate::UpdateShards update_shards;            ///< likewise
  bool tile_by_tile = false;                                   ///< shards of the update follow each other in memory
  base::Time whole_update;                                     ///< duration of the update without sharding, else 0
  std::vector<hlo::spmd::partition::ShardingCost> layers;
  double seconds = 0;  ///< of the host
};

/// A compiled step.
struct Step {
  hlo::Module module;         ///< what the program was made from: fused, in its order
  compiler::Program program;  ///< of each core
  compiler::MemoryAccount memory;
  hlo::transform::RematerialisationTrial rematerialised;  ///< of all cores
  std::vector<workloads::job::StateArray> state;          ///< what it keeps from step to step
  base::Bytes batch;                       ///< that the host sends a core for a step (sw/compiler/host_batch.h)
  std::optional<Partitioned> partitioned;  ///< its groups contain positions in the mesh, until it is placed
  std::vector<std::string> warnings;
};

}  // namespace podsim::sw::driver
