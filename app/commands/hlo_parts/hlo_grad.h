// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::commands::hlo_parts {

/// Declares `podsim hlo grad`.
void add_hlo_grad(CLI::App& hlo);

}  // namespace podsim::app::commands::hlo_parts
