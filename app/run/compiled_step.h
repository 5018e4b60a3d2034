// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/run/module_file.h"
#include "app/run/run_options.h"
#include "app/run/run_partition.h"
#include "base/config.h"
#include "hw/machine.h"
#include "noc/topology.h"
#include "sw/compiler/compile.h"
#include "sw/compiler/costs/price_list.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/program.h"
#include "sw/ir/graph.h"
#include "sw/ir/transform/forward_part.h"
#include "sw/job/checkpoint.h"
#include "sw/report/run/mesh_report.h"
#include "workloads/nets/net.h"
#include "workloads/training_step.h"

namespace podsim::app::run {

/// A compiled step, which can be simulated once it is placed.
struct CompiledStep {
  std::string slice_text;  ///< "4x4"
  std::optional<noc::Topology> slice;
  sw::compiler::Program program;
  sw::compiler::MemoryAccount memory;
  std::vector<sw::job::StateArray> state;  ///< what it keeps from step to step
  base::Bytes batch;                       ///< that the host sends a core for a step (sw/compiler/host_batch.h)
  std::int64_t batch_per_core = 0;         ///< in samples; 0 if the workload does not define it
  std::optional<RunPartition> unplaced;    ///< set for a partitioned program until place()
  std::optional<sw::report::run::PartitionReport> partition;  ///< set for a partitioned program after place()
  std::vector<std::string> warnings;

  /// Places a partitioned program on the slice, where its collectives take the least time. Leaves others unchanged.
  void place(const hw::Machine& machine);

  /// True if runs with the same step_key() may share the step. Not if a branch was chosen by the duration of its
  /// collectives, because then the program depends on [ici].
  bool shareable() const { return !partition && !program.network_chose_branch; }
};

/// A text that is equal for runs with the same step, provided that the step is shareable: the flags that determine the
/// program, the slice, and the machine's keys except those of [host], [input], [job] and, unless collectives are
/// overlapped by their times (sw/compiler/overlap.h), of [ici], which the compiler does not read. A file is represented
/// by its path, size and time of change.
std::string step_key(const RunOptions& options, const base::Config& machine);

/// Compiles the step that the flags of a run describe. Errors in files, slice or batch are thrown as InputError before
/// any simulation. A step that needs more memory than a core has is a SimulationError, unless a batch per core can be
/// blamed.
class StepCompiler {
 public:
  /// Reads the files that the flags name and chooses the slice. `options` and `machine` must outlive the compiler.
  StepCompiler(const RunOptions& options, const hw::Machine& machine);

  const std::string& slice_text() const { return step_.slice_text; }  ///< "4x4"
  const noc::Topology& slice() const { return *step_.slice; }

  /// Builds the workload's module or takes that of the file, compiles it and accounts for its memory, without placing
  /// it. Call once. Tiles of ops are looked up in `cache`.
  CompiledStep compile(sw::compiler::OpCache* cache = nullptr);
  /// In place of compile(): the forward part of the step (sw/ir/transform/forward_part.h), placed, as an evaluation
  /// runs it. InputError if nothing tells it from the rest of the step.
  CompiledStep compile_evaluation(sw::compiler::OpCache* cache = nullptr);

 private:
  void read_module_file();
  void read_net();
  void read_costs();
  /// Makes a training step of a forward program, if the flags say so.
  void train();
  noc::Topology chosen_slice();
  std::string default_slice() const;
  std::int64_t devices() const { return module_->replicas * module_->partitions; }
  std::int64_t cores() const { return slice().nodes() * machine_.cores_per_chip; }

  void compile_workload(sw::compiler::OpCache* cache);
  void compile_file(sw::compiler::OpCache* cache);
  void compile_module(sw::compiler::OpCache* cache);
  void compile_partitioned(sw::ir::Module module, std::vector<sw::ir::Donation> donations, sw::compiler::OpCache* cache,
                           const workloads::TrainingStep* step = nullptr);
  sw::compiler::Compilation compile_batch(sw::ir::Module module, const std::vector<sw::ir::Donation>& donations,
                                          sw::compiler::OpCache* cache);
  sw::ir::Module fitted(sw::ir::Module fused, const std::vector<sw::ir::Donation>& donations);
  sw::ir::Module placed(sw::ir::Module fused, const std::vector<sw::ir::Donation>& donations);
  sw::ir::Module overlapped(sw::ir::Module fused, const std::vector<sw::ir::Donation>& donations);
  void account_memory(const sw::ir::Module& fused, std::span<const sw::ir::Donation> donations);
  /// Accounts for the state of a step, whose parts in one core are in `of_core` and whole in `whole`.
  void account_state(const sw::ir::Module& of_core, std::span<const sw::ir::Donation> donations,
                     std::vector<base::Bytes> whole);
  void take_program(sw::compiler::Program program);
  void require_memory(const sw::ir::Module& fused) const;
  void check_memory(const sw::ir::Module& fused) const;
  [[noreturn]] void reject_batch(const std::string& reason, const std::string& hint) const;
  std::string memory_needed(const sw::ir::Module& fused) const;
  std::string largest_buffers() const;

  /// Finds out what the arguments of a step are, and replaces it by its forward part if that is to be compiled: up to
  /// its predictions for inference, or up to its loss if they are not known. A forward pass is that already.
  void leave_out_training(sw::ir::Module& module, std::vector<sw::ir::Donation>& donations,
                          const workloads::TrainingStep* step = nullptr);

  const RunOptions& options_;
  const hw::Machine& machine_;
  bool forward_only_ = false;
  RunPartition partition_;
  std::optional<sw::ir::Module> module_;     ///< module of a file; empty for a built-in workload
  std::optional<workloads::nets::Net> net_;  ///< that the flags name
  std::optional<ModuleFile> file_;           ///< that the module was read from, if it is differentiated
  sw::compiler::costs::PriceList prices_;    ///< of --costs
  std::optional<sw::hlo::Module> text_;      ///< what the module was read from
  bool is_global_ = false;                   ///< the module is one of all cores together, with its shardings
  std::optional<std::vector<sw::ir::transform::ArgumentKind>> kinds_;  ///< of the arguments, if they are known
  CompiledStep step_;
};

}  // namespace podsim::app::run
