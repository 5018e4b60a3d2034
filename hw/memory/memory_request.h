// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "hw/direction.h"

namespace podsim::hw {

/// A piece of at most one interleave unit: its bytes lie in one channel.
struct MemoryRequest {
  Direction direction = Direction::read;
  std::uint64_t address = 0;  ///< within one core's half
  base::Bytes bytes;
  std::uint64_t tag = 0;  ///< the sender's own
};

struct MemoryCompletion {
  std::uint64_t tag = 0;
  Direction direction = Direction::read;
  base::Bytes bytes;
  base::Cycles clock;  ///< of the memory, by which the last data have moved
};

}  // namespace podsim::hw
