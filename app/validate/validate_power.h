// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::validate {

/// Declares `podsim validate power`, a command of `validate`: compares published watts with those of steps.
void add_validate_power(CLI::App& validate);

}  // namespace podsim::app::validate
