// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/compiled_step.h"
#include "app/run_options.h"
#include "sw/compiler/op_cache.h"

namespace podsim::app {

/// What a run takes over from others.
struct SharedWork {
  std::optional<base::Config> machine;  ///< what the options load
  std::optional<CompiledStep> step;     ///< of a run with the same step_key()
  sw::OpCache* op_cache = nullptr;      ///< in place of that of --op-cache
};

/// `podsim run` of a built-in workload or a file of HLO text; the exit code. `command_line` is what the records of the
/// run say of how it was started. What ops cost is saved in the cache before anything is printed.
int run_workload(const RunOptions& options, std::string command_line, SharedWork shared = {});

}  // namespace podsim::app
