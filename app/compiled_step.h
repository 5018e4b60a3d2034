// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/run_options.h"
#include "app/run_partition.h"
#include "base/config.h"
#include "hw/machine.h"
#include "noc/topology.h"
#include "sw/compiler/compile.h"
#include "sw/compiler/program.h"
#include "sw/graph/graph.h"
#include "sw/memory_account.h"
#include "sw/report/mesh_report.h"

namespace podsim::app {

/// A step that is ready to be simulated once it is placed.
struct CompiledStep {
  std::string slice_text;  ///< "4x4"
  std::optional<noc::Topology> slice;
  sw::Program program;
  sw::MemoryAccount memory;
  std::int64_t batch_per_core = 0;               ///< samples; 0 where the workload does not say
  std::optional<RunPartition> unplaced;          ///< of a partitioned program that is not on its slice yet
  std::optional<sw::PartitionReport> partition;  ///< of one that is
  std::vector<std::string> warnings;

  /// Puts a partitioned program on the slice by what its collectives take there; leaves others as they are.
  void place(const hw::Machine& machine);

  /// Whether runs with the same step_key() may share it. A branch may have been taken for what collectives take, so
  /// that [ici] matters to the program.
  bool shareable() const { return !partition && !program.network_chose_branch; }
};

/// A text that is equal for runs whose steps are the same program, if that is shareable: the flags that name the
/// program, the slice, and the machine's keys but for [ici] and [host], which compiling does not look at. A file counts
/// by its path, size and time of change.
std::string step_key(const RunOptions& options, const base::Config& machine);

/// From the flags of a run to its step. Whatever is wrong with files, slice or batch shows here, before anything is
/// simulated, as InputError; a step that needs more memory than there is, where no flag is to blame, as
/// SimulationError.
class StepCompiler {
 public:
  /// Reads the files that the flags name and chooses the slice. `options` and `machine` outlive the compiler.
  StepCompiler(const RunOptions& options, const hw::Machine& machine);

  const std::string& slice_text() const { return step_.slice_text; }  ///< "4x4"
  const noc::Topology& slice() const { return *step_.slice; }

  /// Builds or takes the module, compiles it and accounts for its memory; it is not placed. Once. Tiles of ops are
  /// looked up in `cache`.
  CompiledStep compile(sw::OpCache* cache = nullptr);

 private:
  void read_module_file();
  noc::Topology chosen_slice();
  std::string default_slice() const;
  std::int64_t devices() const { return module_->replicas * module_->partitions; }
  std::int64_t cores() const { return slice().nodes() * machine_.cores_per_chip; }

  void compile_workload(sw::OpCache* cache);
  void compile_module(sw::OpCache* cache);
  void compile_partitioned(sw::Module module, const std::vector<sw::Donation>& donations, sw::OpCache* cache);
  sw::Compilation compile_batch(sw::Module module, sw::OpCache* cache) const;
  void take_program(sw::Program program);
  void require_memory(const sw::Module& fused) const;
  void check_memory(const sw::Module& fused) const;
  [[noreturn]] void reject_batch(const std::string& reason, const std::string& hint) const;
  std::string memory_needed(const sw::Module& fused) const;
  std::string largest_buffers() const;

  const RunOptions& options_;
  const hw::Machine& machine_;
  RunPartition partition_;
  std::optional<sw::Module> module_;  ///< of a file
  CompiledStep step_;
};

}  // namespace podsim::app
