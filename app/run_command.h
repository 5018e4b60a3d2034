// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run_options.h"

namespace podsim::app {

/// What `podsim run` of a step is asked for by `words`, the program's name first. Nothing for other commands, for a
/// topology, for a comparison, for a cry for help, and for words that are wrong.
std::optional<RunOptions> step_options(const std::vector<std::string>& words);

/// The command as it could be given again; where results go, how they are printed and what is kept of ops is left out,
/// so that equal runs leave equal records.
std::string recorded_command_line(const std::vector<std::string>& words);

}  // namespace podsim::app
