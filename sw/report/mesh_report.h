// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "sw/graph/rematerialize.h"
#include "sw/runtime/run_result.h"
#include "sw/spmd/cut_cost.h"
#include "sw/spmd/placement_search.h"
#include "sw/spmd/weight_update_sharding.h"

/// A program of the whole machine that was partitioned for its cores, as the reports see it.
namespace podsim::sw {

struct PartitionReport {
  PlacementChoice placed;
  bool chosen = true;                     ///< the placement was searched for; else it was given
  std::string sharding;                   ///< where the annotations come from: a file, "the text", "the workload"
  base::Bytes parameters;                 ///< of the program before it was partitioned: all of the machine's
  std::int64_t samples = 0;               ///< of all cores together in one step; 0 where the workload does not say
  std::int64_t tokens = 0;                ///< likewise
  double model_flops = 0;                 ///< that the model asks for in a step, nothing computed twice; 0: not known
  RematerialisationTrial rematerialised;  ///< policy, peak of memory, FLOPs of all cores computed once more
  UpdateMemory update_memory;             ///< weights and slots of a core, where their updates are sharded; 0 elsewhere
  base::Time whole_update;                ///< likewise, what the update of whole weights would take
  std::vector<CutCost> layers;            ///< what cutting costs each, by op_name
  double partition_s = 0;                 ///< host time
};

/// The collectives of one kind along the same axes of the mesh in a step.
struct AxisCollectives {
  std::string axes, kind;
  std::int64_t count = 0;
  base::Bytes bytes;   ///< payloads of one core
  base::Time time;     ///< each from the last core in to the last core out
  base::Time exposed;  ///< that the reported core spent in them, waiting for later cores included
  base::Time overlapped() const { return std::max(base::Time(0), time - exposed); }
};
/// The axes in the order of their exposed time, then the kinds.
std::vector<AxisCollectives> collectives_by_axis(const RunResult& result);

/// Where the partitions lie: a row for each position along the second dimension of the slice, a column for each along
/// the first; of every chip the positions along the mesh axes of its cores' partitions. Long rows and columns are cut
/// short.
std::string mesh_text(const MeshPlacement& placement);
/// A line per core of the slice: chip, core, partition (empty where there is none), and its position along every axis.
std::string mesh_csv(const MeshPlacement& placement);
/// The same for a browser: every core coloured by its positions along the first two axes.
std::string mesh_svg(const MeshPlacement& placement);

}  // namespace podsim::sw
