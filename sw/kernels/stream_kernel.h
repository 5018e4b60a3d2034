// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>

#include "sw/kernels/element_code.h"
#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// What is done to every element of arrays that are tiled alike, wherever it stands: padding is computed as well.
struct StreamWork {
  /// One pair of tiles: a pair of every input in, a pair out.
  std::function<TilePair(KernelBuilder&, std::span<const TilePair> inputs)> code;
  hw::VectorWork work;  ///< of `code`
};

/// Fills in program and tile_op: reads `inputs` from HBM in one go, tile by tile, and writes `outputs[0]`, which has
/// the same tiles.
void build_stream(const hw::Machine& machine, Kernel& kernel, const StreamWork& work);

}  // namespace podsim::sw
