// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/run/compiled_step.h"
#include "app/run/run.h"
#include "app/run/run_options.h"
#include "base/host/process_output.h"
#include "studies/sweep/point_task.h"
#include "sw/compiler/op_cache.h"

namespace podsim::app::sweep {

/// Runs a command line, the program's name first, and returns the exit code.
using RunProgram = int (*)(int argc, char** argv);

/// Runs points one after the other, each in a separate child process, so that the worker survives whatever a point
/// does. The process with the worker has one thread and has not started SystemC.
///
/// If a point has the same step_key() as the one before it, for example because they differ only in [ici], the worker
/// compiles the step itself and keeps it. For this point and all following ones with the key, the child only simulates.
/// The cache of --op-cache stays open, so that children have in memory what other processes have saved.
class PointWorker {
 public:
  explicit PointWorker(RunProgram run_program) : run_program_(run_program) {}

  /// Runs `podsim ARGUMENTS --json` to its end or its time limit. A cache that cannot be opened here is not used.
  base::host::ProcessOutput run(const studies::sweep::PointTask& task);

 private:
  base::host::ProcessOutput run_step(const run::RunOptions& options, const std::vector<std::string>& words,
                                     std::int64_t limit_s);
  void open_cache(const std::string& file);
  void look_at(const run::RunOptions& options, const base::Config& machine);

  RunProgram run_program_;
  std::string key_;                        ///< key of the last point; empty before the first
  bool compile_alone_ = false;             ///< this key's step is not shareable, cannot be compiled, or took too long
  std::optional<run::CompiledStep> step_;  ///< step of key_
  std::string cache_file_;                 ///< file of the last attempt to open a cache
  std::optional<sw::compiler::OpCache> cache_;
};

}  // namespace podsim::app::sweep
