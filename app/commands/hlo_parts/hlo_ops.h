// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::commands::hlo_parts {

/// Adds `hlo ops`: what podsim knows of each operation.
void add_hlo_ops(CLI::App& hlo);

}  // namespace podsim::app::commands::hlo_parts
