// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::commands::hlo_parts {

/// `podsim hlo partition`: partitions a global program and prints the program of one core.
void add_hlo_partition(CLI::App& hlo);

}  // namespace podsim::app::commands::hlo_parts
