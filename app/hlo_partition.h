// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app {

/// `podsim hlo partition`: the program of one core out of one of the whole machine.
void add_hlo_partition(CLI::App& hlo);

}  // namespace podsim::app
