// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace podsim::sw {

/// The tile of an array in memory, HLO's T(8,128), and of a vector register: XLA's layout for TPUs.
inline constexpr std::int64_t kSublanes = 8;
inline constexpr std::int64_t kLanes = 128;

}  // namespace podsim::sw
