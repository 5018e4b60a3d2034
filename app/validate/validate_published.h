// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::validate {

/// Declares `podsim validate steps`, a command of `validate`: compares published training steps with simulated ones.
void add_validate_steps(CLI::App& validate);

/// Declares `podsim validate memory`, a command of `validate`: compares published peaks of memory with simulated ones.
void add_validate_memory(CLI::App& validate);

}  // namespace podsim::app::validate
