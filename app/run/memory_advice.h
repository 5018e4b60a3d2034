// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/run/run_options.h"
#include "sw/target_machine.h"

namespace podsim::app::run {

/// Flags with which a step fits that needs more memory than a core has, each with its estimated step
/// (CompiledStep::estimate): "--batch-per-core 64: 92.1 ms, 22240 samples/s; ...". Tried are what is computed once more
/// where the flags forbid it, updates of weights in shards, and the largest batch that fits of those in powers of two
/// below the one asked for, whole and with shards. Empty if nothing of these fits.
std::string memory_advice(const RunOptions& options, const sw::TargetMachine& machine);

}  // namespace podsim::app::run
