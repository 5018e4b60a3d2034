// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace podsim::app::validate {

/// What a command of podsim that simulates a step gave.
struct SimulatedCommand {
  nlohmann::json json;  ///< its figures, as with --json; null if it failed
  std::string problem;  ///< why there are none: the first line of its errors
};

/// Runs `podsim run` or `podsim train`, whose words follow the program's name, in a child process, which keeps what it
/// prints and how it fails to itself. No chip is simulated by its units, which gives the same times later.
SimulatedCommand simulated_command(const std::vector<std::string>& command);

}  // namespace podsim::app::validate
