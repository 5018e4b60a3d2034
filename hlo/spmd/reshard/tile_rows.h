// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hlo/spmd/reshard/local_program.h"
#include "hlo/tile_order.h"

namespace podsim::hlo::spmd::reshard {

/// An array as rows of 128 lanes in the order of its tiles: f32[4096,1024] as f32[32768,128], whose elements have the
/// same locations in memory. A collective along these rows moves nothing within a core. The result is a reshape of a
/// transposition of a reshape; the array between them has the one layout for which none of the three moves data, so
/// that `array` keeps the layout of `digits`.
hlo::InstructionId as_rows(LocalProgram& program, hlo::InstructionId array, std::span<const hlo::PlaceDigit> digits);

/// The array of `sizes` whose memory order is `digits` and that has these rows.
hlo::InstructionId from_rows(LocalProgram& program, hlo::InstructionId rows, std::span<const hlo::PlaceDigit> digits,
                             const std::vector<std::int64_t>& sizes);

}  // namespace podsim::hlo::spmd::reshard
