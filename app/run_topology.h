// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/run_options.h"

namespace CLI {
class App;
}

/// `podsim run TOPOLOGY.csv`: the layers of a SCALE-Sim topology one by one, by our model of a core or by SCALE-Sim's
/// count for one array.
namespace podsim::app {

/// Whether a workload is named as a topology is: it ends in ".csv".
bool is_topology_file(const std::string& workload);

void add_topology_flags(CLI::App& run, RunOptions& options);

/// InputError for flags of steps with a topology, and for --convention with something else.
void check_topology_flags(const CLI::App& run, const RunOptions& options);

/// Prints the table or JSON; the exit code.
int run_topology(const RunOptions& options);

}  // namespace podsim::app
