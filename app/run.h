// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/run_options.h"

namespace podsim::app {

/// `podsim run` of a built-in workload or a file of HLO text; the exit code. `command_line` is what the records of the
/// run say of how it was started.
int run_workload(const RunOptions& options, std::string command_line);

}  // namespace podsim::app
