// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/run/compiled_step.h"
#include "app/run/run_options.h"
#include "sw/compiler/op_cache.h"

namespace podsim::app::run {

/// Results that a run takes over instead of computing them.
struct SharedWork {
  std::optional<base::Config> machine;        ///< in place of options.machine.load()
  std::optional<CompiledStep> step;           ///< of a run with the same step_key()
  sw::compiler::OpCache* op_cache = nullptr;  ///< in place of the cache of --op-cache
};

/// Runs `podsim run` for a built-in workload or a file of HLO text and returns the exit code. `command_line` goes into
/// the run's records. Costs of ops are saved in the cache before anything is printed.
int run_workload(const RunOptions& options, std::string command_line, SharedWork shared = {});

}  // namespace podsim::app::run
