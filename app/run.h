// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/compiled_step.h"
#include "app/run_options.h"

namespace podsim::app {

/// `podsim run` of a built-in workload or a file of HLO text; the exit code. `command_line` is what the records of the
/// run say of how it was started. `step` is that of a run with the same step_key(), where there is one; without it the
/// step is compiled.
int run_workload(const RunOptions& options, std::string command_line, std::optional<CompiledStep> step = {});

}  // namespace podsim::app
