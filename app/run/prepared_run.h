// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run/compiled_step.h"
#include "app/run/run_options.h"
#include "base/config.h"
#include "noc/topology.h"
#include "report/run/run_report.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/runtime/detail.h"
#include "sw/runtime/simulation_options.h"
#include "workloads/job/checkpoint.h"
#include "workloads/job/loop_time.h"

namespace podsim::app::run {

/// Results that a run takes over instead of computing them, and what it has to say.
struct SharedWork {
  std::optional<base::Config> machine;        ///< in place of options.machine.load()
  std::optional<CompiledStep> step;           ///< of a run with the same step_key()
  sw::compiler::OpCache* op_cache = nullptr;  ///< in place of the cache of --op-cache
  bool advises = false;  ///< says what would fit if it does not fit the memory, which compiles it some times more
};

/// A run up to its simulation, so that a command may have several. Together the constructor and compile() find all
/// errors of the input.
class PreparedRun {
 public:
  /// Reads the machine and the files that the flags name, and checks the flags. `options` outlives this.
  PreparedRun(const RunOptions& options, std::optional<base::Config> machine = {},
              std::optional<CompiledStep> step = {});
  PreparedRun(const PreparedRun&) = delete;
  PreparedRun& operator=(const PreparedRun&) = delete;

  /// Compiles the step, assigns its partitions to cores of the slice, and prepares the rest of its loop. Call once.
  void compile(sw::compiler::OpCache* cache);

  /// How its flags have the slice simulated, without where that is shown.
  sw::runtime::SimulationOptions simulation_options() const;

  const RunOptions& options() const { return options_; }
  const base::Config& config() const { return config_; }
  const noc::Topology& slice() const { return *slice_; }
  const std::optional<workloads::job::LoopPlan>& loop() const { return loop_; }
  /// The program of an evaluation step, if the loop has one.
  const std::optional<sw::compiler::Program>& evaluation() const { return evaluation_; }
  /// Behind compile(): the machine, the program and all that is known without its results, which the caller adds.
  report::run::RunReport& report() { return report_; }

 private:
  void check_real_chips() const;
  void check_chip_ops() const;
  void check_faults();
  void expect_largest(const noc::Fault& fault);
  std::vector<double> host_speeds() const;
  bool saves() const;
  bool fed() const;
  void take(CompiledStep compiled);
  void warn_of_unread_keys();

  const RunOptions& options_;
  base::Config config_;
  std::optional<CompiledStep> step_;  ///< empty once the report has taken it
  report::run::RunReport report_;
  std::optional<StepCompiler> compiler_;  ///< of report_.machine; empty behind compile()
  std::optional<noc::Topology> slice_;
  sw::runtime::Detail detail_;
  noc::Faults faults_;
  std::vector<workloads::job::StateArray> state_;
  std::optional<workloads::job::LoopPlan> loop_;
  std::optional<sw::compiler::Program> evaluation_;
};

}  // namespace podsim::app::run
