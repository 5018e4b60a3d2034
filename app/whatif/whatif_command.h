// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/sweep/point_worker.h"

namespace CLI {
class App;
}

namespace podsim::app::whatif {

/// Declares `podsim whatif`, which sets `code` when it runs; `words` is the command line, the program's name first.
void add_whatif(CLI::App& program, const std::vector<std::string>& words, sweep::RunProgram run_program, int& code);

}  // namespace podsim::app::whatif
