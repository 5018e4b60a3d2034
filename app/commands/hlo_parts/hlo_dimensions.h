// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::commands::hlo_parts {

/// `podsim hlo dimensions`: the dimensions of a program that are split together.
void add_hlo_dimensions(CLI::App& hlo);

}  // namespace podsim::app::commands::hlo_parts
