// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>

#include "sw/codegen/builder/element_code.h"
#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::stream {

/// Work on every element of arrays that have the same tiling, independent of position. Padding is computed too.
struct StreamWork {
  /// Writes the code for a pair of tiles: takes a pair of every input and returns a pair of the output.
  std::function<builder::TilePair(builder::KernelBuilder&, std::span<const builder::TilePair> inputs)> code;
  hw::VectorWork work;  ///< work of `code`
};

/// Sets program and tile_op: reads `inputs` from HBM in one pass, tile by tile, and writes `outputs[0]`, which has the
/// same tiles.
void build_stream(const TargetMachine& machine, Kernel& kernel, const StreamWork& work);

}  // namespace podsim::sw::codegen::families::stream
