// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/kernel_options.h"

namespace podsim::app {

/// One `podsim kernel`: assembles or generates, runs, checks, prints. InputError, SimulationError, and FailedCheck when
/// memory does not hold what it should at the end.
void run_kernel(const KernelOptions& options);

}  // namespace podsim::app
