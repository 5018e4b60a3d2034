// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/point_output.h"

namespace podsim::app {

/// Runs points one after the other, each in a child process of its own: whatever a point does, the worker lives on. The
/// process that owns a worker has one thread and has not started SystemC.
class PointWorker {
 public:
  /// Runs `podsim ARGUMENTS --json` to its end.
  PointOutput run(const std::vector<std::string>& arguments);
};

}  // namespace podsim::app
