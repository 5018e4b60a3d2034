// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "app/partition_options.h"
#include "hw/machine.h"
#include "noc/topology.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/graph/graph.h"
#include "sw/report/mesh_report.h"
#include "workloads/workload.h"

namespace podsim::app {

/// A program of the whole machine on its way to one for each core of a slice: which mesh, which annotations, which
/// cores. The steps are called in the order in which they stand here.
class RunPartition {
 public:
  /// Reads --mesh and --sharding, and the mesh of the sharding that comes with a built-in workload.
  RunPartition(const PartitionFlags& flags, const std::string& workload);

  /// Whether the flags ask for a partitioned program; one of the whole machine is partitioned in any case.
  bool asked() const { return flags_.any(); }
  /// How many cores the mesh has; nothing where any number will do.
  std::optional<std::int64_t> cores() const;
  /// InputError, at the mesh, when a slice has another number of cores than the mesh.
  void check_slice(const std::string& slice, std::int64_t cores, const hw::Machine& machine) const;

  /// Takes over what a built-in workload says of itself, and its annotations where no others are given: those that
  /// come with it, else its batch along all axes.
  void take(const workloads::Workload& workload, std::int64_t cores);
  /// A program with its annotations, over the mesh() that is chosen then. `cores` are what it is for where nothing else
  /// says.
  sw::Module annotated(sw::Module module, std::int64_t cores);
  const sw::Mesh& mesh() const { return mesh_->mesh; }
  /// The program of one core, fused; with layers computed once more for their gradients where its peak of memory asks
  /// for it.
  sw::Module partition(sw::Module module, std::span<const sw::Donation> donations, std::int64_t cores,
                       const hw::Machine& machine, sw::OpCache* cache);
  /// Puts the compiled program, whose groups name partitions, on the cores of a slice.
  sw::PartitionReport place(sw::Program& program, const hw::Machine& machine, const noc::Topology& slice);

 private:
  void choose_mesh(const sw::Module& module, std::int64_t cores);
  sw::Module cut(const sw::Module& module);
  sw::Module with_sharded_update(sw::Module module, std::span<const sw::Donation> donations, const hw::Machine& machine,
                                 sw::OpCache* cache);

  PartitionFlags flags_;
  std::optional<sw::ShardingFile> sharding_;
  std::optional<sw::MeshText> mesh_;
  bool mesh_of_flag_ = false;
  bool is_of_one_core_ = false;  ///< the workload's program has collectives of its own
  std::string origin_;           ///< of the annotations
  base::Bytes parameters_;
  std::int64_t samples_ = 0, tokens_ = 0;
  double model_flops_ = 0, seconds_ = 0;
  sw::RematerialisationTrial rematerialised_;
  sw::UpdateMemory update_memory_;
  base::Time whole_update_;  ///< what the update of whole weights would take
  std::vector<sw::CutCost> layers_;
};

}  // namespace podsim::app
