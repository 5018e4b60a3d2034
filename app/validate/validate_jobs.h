// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::validate {

/// Declares `podsim validate jobs`, a command of `validate`: compares published loops, trainings and starts with
/// simulated ones.
void add_validate_jobs(CLI::App& validate);

}  // namespace podsim::app::validate
