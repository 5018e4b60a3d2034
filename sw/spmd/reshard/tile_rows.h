// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sw/ir/tile_order.h"
#include "sw/spmd/reshard/local_program.h"

namespace podsim::sw::spmd::reshard {

/// An array as rows of 128 lanes in the order of its tiles: f32[4096,1024] as f32[32768,128], which has the same places
/// in memory. A collective along these rows moves nothing within a core. A reshape, a transposition and a reshape name
/// it so; the array between them has the one layout for which all three keep places, which leaves `array` the layout of
/// `digits`.
ir::InstructionId as_rows(LocalProgram& program, ir::InstructionId array, std::span<const ir::PlaceDigit> digits);

/// The array of `sizes`, and with places of `digits`, that has these rows.
ir::InstructionId from_rows(LocalProgram& program, ir::InstructionId rows, std::span<const ir::PlaceDigit> digits,
                            const std::vector<std::int64_t>& sizes);

}  // namespace podsim::sw::spmd::reshard
