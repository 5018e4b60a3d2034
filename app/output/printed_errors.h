// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace podsim::app::output {

/// Runs `command` and returns its exit code. An exception is printed like a compiler's error, and gives the exit code.
int with_errors_printed(const std::function<int()>& command);

}  // namespace podsim::app::output
