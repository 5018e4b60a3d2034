// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/run/run_options.h"

namespace CLI {
class App;
}

/// `podsim run TOPOLOGY.csv`: the layers of a SCALE-Sim topology one by one, with the cycles of this model's core or of
/// SCALE-Sim's formula for one array.
namespace podsim::app::run {

void add_topology_flags(CLI::App& run, RunOptions& options);

/// Throws InputError for flags of training steps together with a topology, and for --convention without one.
void check_topology_flags(const CLI::App& run, const RunOptions& options);

/// Prints the table or JSON and returns the exit code.
int run_topology(const RunOptions& options);

}  // namespace podsim::app::run
