// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/run/run_options.h"

namespace podsim::app::run {

/// Prints what a built-in workload is, with the model's keys of the options, on one core: numbers that it trains, FLOPs
/// of the model, keys, and what it leaves out. Throws base::InputError, at the name, for what is no workload.
void describe_workload(const RunOptions& options);

}  // namespace podsim::app::run
