// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/codegen/builder/tile_plan.h"
#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families {

/// The stream of an array whose layout tiles follow each other through VMEM, `in_tile` of them in a tile of the loop
/// and `all` together; the last tile of the loop has fewer if they do not divide.
builder::TileStream register_stream(const KernelArray& array, builder::TileRole role, std::int64_t in_tile,
                                    std::int64_t all);

}  // namespace podsim::sw::codegen::families
