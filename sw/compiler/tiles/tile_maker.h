// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/tile_op.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_blocks.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler::tiles {

/// Makes the tiles of an op under a tiling. Vector work hidden behind the MXU is in its tile phase. The fraction
/// compiler.exposed_vector_fraction of a matmul's vector work is in phases before (prologue) and after (epilogue) it.
hw::TileOp make_tiles(const OpWork& work, const Tiling& tiling, const TargetMachine& machine, std::string name);

}  // namespace podsim::sw::compiler::tiles
