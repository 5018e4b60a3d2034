// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::validate {

/// Declares `podsim validate estimates`, a command of `validate`: compares the times by which algorithms and placements
/// are chosen with simulated ones, on a grid.
void add_validate_estimates(CLI::App& validate);

}  // namespace podsim::app::validate
