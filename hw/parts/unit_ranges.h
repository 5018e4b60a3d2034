// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters/value_kinds.h"

/// Ranges that several parts of a core share.
namespace podsim::hw::parts {

constexpr std::int64_t max_fifo = 4096;  ///< registers

/// A latency within a core of at most some us.
inline base::parameters::kind::CycleCount unit_cycles(std::int64_t least) {
  return base::parameters::kind::cycles(least, 4096, "no unit of a core takes longer");
}

}  // namespace podsim::hw::parts
