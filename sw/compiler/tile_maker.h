// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/compiler/op_work.h"
#include "sw/compiler/tile_blocks.h"

namespace podsim::sw {

/// The op as tiles under the given cuts. Work hidden behind the MXU stands in its phase, the share
/// compiler.exposed_vector_fraction of a matmul's vector work in phases before (prologue) and after (epilogue) it.
hw::TileOp make_tiles(const OpWork& work, const TileCuts& cuts, const hw::Machine& machine, std::string name);

}  // namespace podsim::sw
