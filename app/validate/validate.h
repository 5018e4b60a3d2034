// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::validate {

/// Declares `podsim validate` and its commands: measured points, steps, jobs and estimates against the model.
void add_validate(CLI::App& program);

}  // namespace podsim::app::validate
