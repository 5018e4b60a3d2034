// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/run/partition_options.h"
#include "hlo/graph.h"
#include "hlo/text/module.h"
#include "noc/topology.h"
#include "report/run/mesh_report.h"
#include "sw/driver/choices.h"
#include "sw/driver/step.h"
#include "sw/target_machine.h"
#include "workloads/workload.h"

namespace podsim::app::run {

/// The partitioning that the flags of a run, and the sharding file of its workload, ask for.
class RunPartition {
 public:
  /// Reads --mesh and --sharding, and the mesh of the sharding file that ships with a built-in workload, unless a
  /// setting of the model asks for another sharding.
  RunPartition(const PartitionFlags& flags, const std::string& workload, const workloads::ModelSettings& model);

  /// Uses the sharding in a net's file, unless flags give another one.
  void bring(const hlo::spmd::mesh::ShardingFile& sharding);

  /// Takes the mesh that a program of all devices declares, with its axes' names, unless flags or a file give another
  /// one. A mesh that does not fit the program's shardings is not taken.
  void take_declared_mesh(const hlo::Module& graph, const hlo::text::Module& text);

  /// Shares weight updates along axes of a mesh, in place of what the flags say; an empty mesh leaves theirs.
  void share_update(const std::string& mesh, const std::string& axes);
  /// The mesh; null if it is one axis over all cores, or follows from annotations.
  const hlo::spmd::mesh::Mesh* mesh() const { return mesh_ ? &mesh_->mesh : nullptr; }

  /// True if the flags request partitioning. A global program is partitioned in any case.
  bool asked() const { return flags_.any(); }
  bool chooses_update() const { return flags_.chooses_update(); }
  /// Number of partitions of the mesh; std::nullopt if any number of cores is possible.
  std::optional<std::int64_t> cores() const;
  /// The slice with a core for each partition of the mesh; std::nullopt if any slice is possible. InputError if the
  /// machine can form none.
  std::optional<std::string> default_slice(const sw::TargetMachine& machine) const;
  /// Throws InputError, at the flag of the mesh or slice, if the slice and the mesh differ in their number of cores.
  void check_slice(const std::string& slice, std::int64_t cores, const sw::TargetMachine& machine) const;

  /// Takes the figures of a built-in workload. Unless a sharding file is given, also its annotations: those that ship
  /// with the workload, else the batch split over all axes.
  void take(const workloads::Workload& workload, std::int64_t cores);

  sw::driver::PartitionChoices choices() const;
  /// Assigns the partitions of the compiled program, which its groups contain, to the cores of a slice.
  report::run::PartitionReport place(sw::driver::Step& step, const sw::TargetMachine& machine,
                                     const noc::Topology& slice) const;

 private:
  PartitionFlags flags_;
  std::optional<hlo::spmd::mesh::ShardingFile> sharding_;
  std::optional<sw::placement::MeshText> mesh_;
  bool mesh_of_flag_ = false;
  bool is_of_one_core_ = false;  ///< the workload's program is already that of one core, with collectives
  std::string origin_ = "the annotations of the program";  ///< of the annotations, for the report
  std::int64_t samples_ = 0, tokens_ = 0;
  double model_flops_ = 0;
};

/// Runs `body`. Errors that the driver locates in texts of flags (sw/driver/compile.h) get their location there.
void at_partition_flags(const std::function<void()>& body);

}  // namespace podsim::app::run
