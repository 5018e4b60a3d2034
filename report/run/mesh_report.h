// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "hlo/spmd/partition/sharding_cost.h"
#include "hlo/spmd/propagate/weight_update_sharding.h"
#include "hlo/transform/rematerialize.h"
#include "sw/placement/placement_search.h"
#include "sw/runtime/run_result.h"

/// Reports on a program of the whole machine that was partitioned for its cores.
namespace podsim::report::run {

struct PartitionReport {
  sw::placement::PlacementChoice placed;
  bool chosen = true;        ///< the placement was searched for; false if the user gave it
  std::string sharding;      ///< source of the annotations: a file, "the text", "the workload"
  base::Bytes parameters;    ///< of the program before it was partitioned, which are those of the whole machine
  std::int64_t samples = 0;  ///< per step in all cores; 0 if the workload does not state it
  std::int64_t tokens = 0;   ///< input tokens per step in all cores; 0 if the workload does not state it
  double model_flops = 0;    ///< that the model requires per step, without recomputation; 0 if not known
  hlo::transform::RematerialisationTrial rematerialised;  ///< policy, peak memory, recomputed FLOPs of all cores
  hlo::spmd::propagate::UpdateMemory
      update_memory;  ///< weights and slot variables of a core if their updates are sharded, else 0
  hlo::spmd::propagate::UpdateShards update_shards;  ///< by kind if updates are sharded
  base::Time whole_update;  ///< time that the update of whole weights would take if updates are sharded, else 0
  std::vector<hlo::spmd::partition::ShardingCost> layers;  ///< cost of sharding each layer, by op_name
  double partition_s = 0;                                  ///< host time
};

/// The collectives of a step that have one kind and join the same axes of the mesh.
struct AxisCollectives {
  std::string axes, kind;
  std::int64_t count = 0;
  base::Bytes bytes;   ///< payloads of one core
  base::Time time;     ///< sum of their times, each from the entry of the last core to the exit of the last
  base::Time exposed;  ///< time that the reported core spent in them, including waiting for later cores
  base::Time overlapped() const { return std::max(base::Time(0), time - exposed); }
};
/// The collectives by axes and kind, in descending order of the exposed time of their axes, then of each row.
std::vector<AxisCollectives> collectives_by_axis(const sw::runtime::RunResult& result);

/// The placement as text, with a column for each position along the first dimension of the slice and a row for each
/// along all others. Each chip shows the positions of its cores' partitions along the mesh axes. Long rows and columns
/// are truncated.
std::string mesh_text(const sw::placement::MeshPlacement& placement);
/// The placement as CSV, with a line for each core of the slice: chip, core, partition (empty if it has none), and its
/// position along every axis.
std::string mesh_csv(const sw::placement::MeshPlacement& placement);
/// The placement as SVG: every core is coloured by its positions along the first two axes.
std::string mesh_svg(const sw::placement::MeshPlacement& placement);

}  // namespace podsim::report::run
