// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/sweep/point_worker.h"
#include "studies/sweep/point_runners.h"

namespace CLI {
class App;
}

namespace podsim::app::search {

/// Declares `podsim search`, which sets `code` when it runs; `words` is the command line, the program's name first.
void add_search(CLI::App& program, const std::vector<std::string>& words, sweep::RunProgram run_program, int& code);

/// Makes the runners, of as many workers as -j says.
using MakeRunners = std::function<std::unique_ptr<studies::sweep::PointRunners>(std::size_t workers)>;
/// As above, with other runners.
void add_search(CLI::App& program, const std::vector<std::string>& words, MakeRunners make_runners, int& code);

}  // namespace podsim::app::search
