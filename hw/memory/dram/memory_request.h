// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "hw/direction.h"

namespace podsim::hw::memory::dram {

/// A request for at most one interleave unit, so that its bytes are in one channel.
struct MemoryRequest {
  Direction direction = Direction::read;
  std::uint64_t address = 0;  ///< within one core's half
  base::Bytes bytes;
  std::uint64_t tag = 0;  ///< set by the sender
};

struct MemoryCompletion {
  std::uint64_t tag = 0;
  Direction direction = Direction::read;
  base::Bytes bytes;
  base::Cycles clock;  ///< clock of the memory by which the last data have moved
};

}  // namespace podsim::hw::memory::dram
