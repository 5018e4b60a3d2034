// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/run/partition_options.h"
#include "hw/machine.h"
#include "noc/topology.h"
#include "sw/driver/choices.h"
#include "sw/driver/step.h"
#include "sw/report/run/mesh_report.h"
#include "workloads/workload.h"

namespace podsim::app::run {

/// How the flags of a run, and what comes with its workload, want a program partitioned.
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

  sw::driver::PartitionChoices choices() const;
  /// Places the compiled program, in which groups contain partitions, on the cores of a slice.
  sw::report::run::PartitionReport place(sw::driver::Step& step, const hw::Machine& machine,
                                         const noc::Topology& slice) const;

 private:
  PartitionFlags flags_;
  std::optional<sw::spmd::mesh::ShardingFile> sharding_;
  std::optional<sw::spmd::mesh::MeshText> mesh_;
  bool mesh_of_flag_ = false;
  bool is_of_one_core_ = false;  ///< the workload's program is already that of one core, with collectives
  std::string origin_ = "the annotations of the program";  ///< of the annotations, for the report
  std::int64_t samples_ = 0, tokens_ = 0;
  double model_flops_ = 0;
};

/// Runs `body`. Errors that the driver locates in texts of flags (sw/driver/compile.h) get their location there.
void at_partition_flags(const std::function<void()>& body);

}  // namespace podsim::app::run
