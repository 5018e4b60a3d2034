// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace podsim::base::host {

/// Clock for the running time of the program itself.
using HostClock = std::chrono::steady_clock;

inline double seconds_since(HostClock::time_point begin) {
  return std::chrono::duration<double>(HostClock::now() - begin).count();
}

}  // namespace podsim::base::host
