// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace podsim::app {

/// What a runner of points is given.
struct PointTask {
  std::vector<std::string> arguments;  ///< words of a command line after `podsim`, without --json
  std::int64_t limit_s = 0;            ///< after which the point is ended and has failed; 0: never
};

/// One line of JSON without its end, to be sent from process to process.
std::string to_message(const PointTask& task);
/// What to_message() was given.
PointTask task_of_message(const std::string& message);

}  // namespace podsim::app
