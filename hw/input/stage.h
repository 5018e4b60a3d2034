// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace podsim::hw::input {

/// A stage of a host's input pipeline, which works on one batch at a time, with all its threads.
struct Stage {
  std::string name;
  base::Duration mean;     ///< time for a batch
  double spread = 0;       ///< standard deviation of that time over its mean, from 0 to 1 (service_times.h)
  std::int64_t depth = 1;  ///< batches that wait in front of it; those in front of the first stage never run out
};

}  // namespace podsim::hw::input
