// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace podsim::hlo {

/// The layout tile of XLA for TPUs, T(8,128) in HLO text. Registers of TPU v2 and v3 have the same shape.
inline constexpr std::int64_t tile_sublanes = 8;
inline constexpr std::int64_t tile_lanes = 128;

}  // namespace podsim::hlo
