// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "app/run/partition_options.h"
#include "hw/machine.h"
#include "noc/topology.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/ir/graph.h"
#include "sw/report/run/mesh_report.h"
#include "sw/spmd/mesh/device_numbering.h"
#include "sw/spmd/propagate/device_branches.h"
#include "workloads/workload.h"

namespace podsim::app::run {

/// Partitions a global program into the program of each core of a slice: chooses the mesh, the annotations and the
/// placement. The steps are called in the order in which they are declared.
class RunPartition {
 public:
  /// Reads --mesh and --sharding, and the mesh of the sharding that comes with a built-in workload.
  RunPartition(const PartitionFlags& flags, const std::string& workload);

  /// Takes the sharding that comes with a net's file, unless flags say otherwise.
  void bring(const sw::spmd::mesh::ShardingFile& sharding);

  /// True if the flags request partitioning. A global program is partitioned in any case.
  bool asked() const { return flags_.any(); }
  /// Number of partitions of the mesh; std::nullopt if any number of cores is possible.
  std::optional<std::int64_t> cores() const;
  /// The slice with a core for each partition of the mesh; std::nullopt if any slice is possible. InputError if the
  /// machine can form none.
  std::optional<std::string> default_slice(const hw::Machine& machine) const;
  /// Throws InputError, at the flag of the mesh or slice, if the slice and the mesh differ in their number of cores.
  void check_slice(const std::string& slice, std::int64_t cores, const hw::Machine& machine) const;

  /// Takes the figures of a built-in workload. Unless a sharding file is given, also its annotations: those that come
  /// with the workload, else the batch split over all axes.
  void take(const workloads::Workload& workload, std::int64_t cores);
  /// Annotates a program and chooses the mesh(), if it is not chosen yet. `cores` is the number of partitions if
  /// nothing else determines it. Where shardings list devices in an order that is no grid, the program counts positions
  /// in devices().
  sw::ir::Module annotated(sw::ir::Module module, std::int64_t cores);
  const sw::spmd::mesh::Mesh& mesh() const { return mesh_->mesh; }
  /// By position in the mesh: the device in the program's text. Empty: the same.
  const sw::spmd::mesh::DeviceNumbers& devices() const { return devices_; }
  /// Values on one device that the annotated program has on all of them.
  const std::vector<sw::spmd::propagate::UnplacedValue>& unplaced() const { return unplaced_; }
  /// Values of the annotated program whose annotations are not used.
  const std::vector<sw::spmd::propagate::UnplacedValue>& overruled() const { return overruled_; }
  /// The program of one core, fused, of an annotated() one. If the peak memory requires it, the ops that cost least are
  /// repeated; if this is not enough, layers are rematerialised in their backward part.
  sw::ir::Module partition(sw::ir::Module module, std::span<const sw::ir::Donation> donations,
                           const hw::Machine& machine, sw::compiler::OpCache* cache);
  /// Places the compiled program, in which groups contain partitions, on the cores of a slice.
  sw::report::run::PartitionReport place(sw::compiler::Program& program, const hw::Machine& machine,
                                         const noc::Topology& slice);

 private:
  void choose_mesh(const sw::ir::Module& module, std::int64_t cores);
  sw::ir::Module partitioned(const sw::ir::Module& module, const hw::Machine& machine);
  sw::ir::Module with_sharded_update(sw::ir::Module module, std::span<const sw::ir::Donation> donations,
                                     const hw::Machine& machine, sw::compiler::OpCache* cache);

  PartitionFlags flags_;
  std::optional<sw::spmd::mesh::ShardingFile> sharding_;
  std::optional<sw::spmd::mesh::MeshText> mesh_;
  bool mesh_of_flag_ = false;
  bool is_of_one_core_ = false;  ///< the workload's program is already that of one core, with collectives
  std::string origin_;           ///< origin of the annotations, for the report
  base::Bytes parameters_;
  std::int64_t samples_ = 0, tokens_ = 0;
  double model_flops_ = 0, seconds_ = 0;
  sw::ir::transform::RematerialisationTrial rematerialised_;
  sw::spmd::propagate::UpdateMemory update_memory_;
  bool tile_by_tile_ = false;  ///< shards of the update follow each other in memory
  base::Time whole_update_;    ///< duration of the update without sharding
  std::vector<sw::spmd::partition::ShardingCost> layers_;
  std::vector<sw::spmd::propagate::UnplacedValue> unplaced_, overruled_;
  sw::spmd::mesh::DeviceNumbers devices_;
};

}  // namespace podsim::app::run
