// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::goodput {

/// Declares `podsim goodput`.
void add_goodput(CLI::App& program);

}  // namespace podsim::app::goodput
