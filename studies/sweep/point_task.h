// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace podsim::studies::sweep {

/// A point for a runner to run.
struct PointTask {
  std::vector<std::string> arguments;  ///< words of a command line after `podsim`, without --json
  std::int64_t limit_s = 0;            ///< time after which the point is ended and has failed; 0: no limit
};

/// The task as one line of JSON without the newline, to send between processes.
std::string to_message(const PointTask& task);
/// The task that to_message() turned into `message`.
PointTask task_of_message(const std::string& message);

}  // namespace podsim::studies::sweep
