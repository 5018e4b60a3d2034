// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/run/run_options.h"

namespace podsim::app::run {

/// Runs `podsim run ... --compare A B`: one run with each of the two sharding files, and a table of both. Returns the
/// exit code.
int compare_shardings(const RunOptions& options);

}  // namespace podsim::app::run
