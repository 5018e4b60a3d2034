// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/sweep/point_worker.h"

namespace CLI {
class App;
}

namespace podsim::app::search {

/// Declares `podsim search`, which sets `code` when it runs; `words` is the command line, the program's name first.
void add_search(CLI::App& program, const std::vector<std::string>& words, sweep::RunProgram run_program, int& code);

}  // namespace podsim::app::search
