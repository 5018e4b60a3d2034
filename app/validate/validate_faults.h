// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::validate {

/// Declares `podsim validate faults`, a command of `validate`: compares published figures of failures with those of the
/// model of `podsim goodput`.
void add_validate_faults(CLI::App& validate);

}  // namespace podsim::app::validate
