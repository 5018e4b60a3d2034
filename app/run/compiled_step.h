// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/run/files/module_file.h"
#include "app/run/run_options.h"
#include "app/run/run_partition.h"
#include "base/config.h"
#include "hlo/graph.h"
#include "noc/topology.h"
#include "report/run/mesh_report.h"
#include "report/run/operator_report.h"
#include "report/run/update_choice.h"
#include "sw/compiler/costs/price_list.h"
#include "sw/driver/compile.h"
#include "sw/target_machine.h"
#include "workloads/importers/importer.h"
#include "workloads/nets/net.h"
#include "workloads/workload.h"

namespace podsim::app::run {

/// The step of a run, which can be simulated once it is placed.
struct CompiledStep {
  std::string slice_text;  ///< "4x4"
  std::optional<noc::Topology> slice;
  sw::driver::Step step;
  std::int64_t batch_per_core = 0;                         ///< in samples; 0 if the workload does not define it
  std::optional<RunPartition> unplaced;                    ///< set for a partitioned program until place()
  std::optional<report::run::PartitionReport> partition;   ///< set for a partitioned program after place()
  std::optional<report::run::UpdateChoice> update_choice;  ///< what --weight-update-sharding auto chose
  std::optional<report::run::OperatorReport> operators;    ///< of operations on cores of their own

  /// Assigns the partitions of a partitioned program to the cores on which its collectives take the least time. Leaves
  /// others unchanged.
  void place(const sw::TargetMachine& machine);
  /// The sum of its ops and its collectives, each alone, of a step that is placed: what it takes if nothing overlaps
  /// and no core waits for another.
  base::Duration estimate(const sw::TargetMachine& machine, sw::compiler::OpCache* cache = nullptr) const;

  /// True if runs with the same step_key() may share the step. Not if a branch was chosen by the duration of its
  /// collectives, because then the program depends on [ici].
  bool shareable() const { return !partition && !update_choice && !operators && !step.program.network_chose_branch; }
};

/// Cache key of a compiled step: equal keys imply equal steps if shareable(). It contains the flags that determine the
/// program, the slice, and the machine's keys except those of [host], [input], [job], [faults] and, unless collectives
/// are overlapped by their times (sw/compiler/overlap.h), of [ici], which the compiler does not read. A file is
/// represented by its path, size and time of change.
std::string step_key(const RunOptions& options, const base::Config& machine);

/// Compiles the step that the flags of a run describe (sw/driver/compile.h). Errors in files, slice or batch, and a
/// step that needs more memory than a core has, are thrown as InputError before any simulation.
class StepCompiler {
 public:
  /// Reads the files that the flags name and chooses the slice. `options` and `machine` must outlive the compiler.
  StepCompiler(const RunOptions& options, const sw::TargetMachine& machine);

  const std::string& slice_text() const { return step_.slice_text; }  ///< "4x4"
  const noc::Topology& slice() const { return *step_.slice; }

  /// Builds the workload's module or takes that of the file, compiles it and accounts for its memory, without placing
  /// it. Call once. Tiles of ops are looked up in `cache`.
  CompiledStep compile(sw::compiler::OpCache* cache = nullptr);
  /// A copy of this compiles its step with an update of weights that is shared so, unplaced. Call before compile().
  CompiledStep compile_sharing(const report::run::UpdateSharing& sharing, sw::compiler::OpCache* cache) const;
  /// The mesh of the step; null if it is one axis over all cores, or follows from annotations at compile().
  const hlo::spmd::mesh::Mesh* mesh() const { return partition_.mesh(); }
  /// In place of compile(): the forward part of the step (hlo/transform/forward_part.h), placed, as an evaluation
  /// runs it. InputError if nothing tells it from the rest of the step.
  CompiledStep compile_evaluation(sw::compiler::OpCache* cache = nullptr);
  /// In place of compile(): the module that a pass leaves (sw/driver/passes.h).
  hlo::Module module_after(std::string_view pass);
  /// Has compile() and module_after() call `watch` behind each pass, with the module that it leaves.
  void on_pass(std::function<void(std::string_view pass, const hlo::Module& module)> watch) {
    after_pass_ = std::move(watch);
  }
  /// In place of compile(): the program of all cores before it is partitioned, with its donations; std::nullopt if the
  /// step is the program of one core, or of stages.
  std::optional<hlo::Module> take_whole_program();
  /// In place of compile(): the workload that is compiled; std::nullopt if it is a text.
  std::optional<workloads::Workload> take_workload();

 private:
  void read_module_file(const workloads::importers::Importer& importer);
  void read_net(const workloads::importers::Importer& importer);
  void read_costs();
  /// Whether a training step is made of the file. With --weights, --parameters alone names its weights.
  bool differentiates() const {
    return options_.training.any() && !(options_.weights && options_.training.has_parameters_alone());
  }
  /// Makes a training step of a forward program, if the flags say so.
  void train();
  noc::Topology chosen_slice();
  std::string default_slice() const;
  std::int64_t cores() const { return slice().nodes() * machine_.cores_per_chip; }
  /// Cores that share the batch; with operations on cores of their own, groups of cores.
  std::int64_t replicas() const { return options_.operators.replicas(cores()); }

  /// Compiles a program or, if it does not fit into the memory, the one that `fallback` makes; empty: none.
  CompiledStep compiled(sw::driver::Program program, const sw::driver::Choices& choices,
                        const std::function<sw::driver::Program()>& fallback = {});
  /// The step whose operations are on cores of their own, placed.
  CompiledStep compile_on_devices(sw::compiler::OpCache* cache);
  /// The step of the same batch divided among all cores.
  report::run::OperatorReport::Way data_parallel(std::int64_t samples, sw::compiler::OpCache* cache) const;
  /// The options of a workload for the samples of a replica.
  workloads::WorkloadOptions build_options() const;
  /// The step of stages that keep this.
  sw::driver::Program pipeline_program(hlo::pipeline::Kept kept);
  /// Takes the sharding of a built-in workload that states its mesh, so that mesh() is known before compile().
  void bring_mesh_of_workload();
  /// Divides a built-in workload or a page of layers.
  void divide();
  /// What is compiled, and what it says of its partition and batch.
  sw::driver::Program program();
  sw::driver::Program file_program();
  sw::driver::Choices choices(sw::compiler::OpCache* cache) const;
  /// Runs `body`. Errors about a mesh get the location of its flag. The error of a step that does not fit into memory
  /// gets that of the batch, or else of the workload.
  void at_blamed_flags(const std::function<void()>& body) const;

  const RunOptions& options_;
  const sw::TargetMachine& machine_;
  sw::driver::Part part_;
  RunPartition partition_;
  std::optional<hlo::Module> module_;                 ///< module of a file; empty for a built-in workload
  std::optional<workloads::nets::Net> net_;           ///< that the flags name
  std::optional<workloads::Workload> written_;        ///< that the file was written of (workloads/workload_text.h)
  std::int64_t devices_ = 0;                          ///< for which the file is; 0: any number
  std::optional<files::ModuleFile> file_;             ///< that the module was read from, if it is differentiated
  sw::compiler::costs::PriceList prices_;             ///< of --costs
  std::optional<std::vector<std::int64_t>> weights_;  ///< numbers of the parameters that --parameters names
  std::optional<hlo::text::Module> text_;             ///< what the module was read from
  bool is_global_ = false;                            ///< the module is one of all cores together, with its shardings
  bool is_partitioned_ = false;
  std::int64_t samples_ = 0;                           ///< in a step of a workload
  std::optional<options::PipelinedNetwork> pipeline_;  ///< that is compiled in place of a workload or module
  std::function<void(std::string_view pass, const hlo::Module& module)> after_pass_;
  std::vector<std::string> warnings_;
  CompiledStep step_;
};

}  // namespace podsim::app::run
