// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/run/run_options.h"

namespace podsim::app::run {

/// Runs `podsim run ... --lengths`: draws steps with samples of varying length, simulates one of each shape, each in a
/// separate process, because a process can hold only one simulation, and prints mean and spread of the step. Returns
/// the exit code of the first run that fails, else 0.
int run_lengths(const RunOptions& options);

}  // namespace podsim::app::run
