// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace podsim::sw::ir {

/// The layout tile of XLA for TPUs, T(8,128) in HLO text. A vector register has the same shape.
inline constexpr std::int64_t tile_sublanes = 8;
inline constexpr std::int64_t tile_lanes = 128;

}  // namespace podsim::sw::ir
