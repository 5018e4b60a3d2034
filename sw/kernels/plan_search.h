// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "hw/machine.h"
#include "hw/tile_op.h"

namespace podsim::sw {

/// Number of the plan that is fastest by the tile level's estimate, of those that fit VMEM; of equals the first. Each
/// tile is charged the scalar code of the loop over tiles, which no unit of the tile level stands for.
/// base::InputError if none fits.
std::size_t fastest_plan(const hw::Machine& machine, std::span<const hw::TileOp> plans);

}  // namespace podsim::sw
