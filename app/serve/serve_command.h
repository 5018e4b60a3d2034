// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace podsim::app::serve {

/// Declares `podsim serve`; `words` is the command line, the program's name first.
void add_serve(CLI::App& program, const std::vector<std::string>& words);

}  // namespace podsim::app::serve
