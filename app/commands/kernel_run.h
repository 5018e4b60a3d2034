// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/options/kernel_options.h"

namespace podsim::app::commands {

/// Runs one `podsim kernel`: assembles or generates the program, runs it, checks it, prints the result. Throws
/// InputError, SimulationError, and FailedCheck if memory holds wrong values at the end.
void run_kernel(const options::KernelOptions& options);

}  // namespace podsim::app::commands
