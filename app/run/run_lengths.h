// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/run/run_options.h"

namespace podsim::app::run {

/// Runs `podsim run ... --lengths`: draws steps with samples of varying length, simulates one of each shape, and prints
/// mean and spread of the step. Returns the exit code.
int run_lengths(const RunOptions& options);

}  // namespace podsim::app::run
