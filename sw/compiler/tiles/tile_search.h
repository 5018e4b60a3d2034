// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "hw/timing/tile_pipeline.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_blocks.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler::tiles {

/// Searches all tilings of at most 1024 tiles that fit VMEM (then 16384, then 262144 if none does) and returns the one
/// with the fewest cycles by `pipeline`, a model of `machine`, and of those the fewest tiles. If none fits, rows and
/// lanes are tiled more finely than registers and weight tiles until one does; every tile is then padded to these.
Tiling choose_tiling(const OpWork& work, const TargetMachine& machine, hw::timing::TilePipeline& pipeline,
                     const std::string& name);
/// Makes its own pipeline. With `accepts`, only tilings that it returns true for are chosen; if there are none, a
/// single tile is returned, for the caller to divide.
Tiling choose_tiling(const OpWork& work, const TargetMachine& machine, const std::string& name,
                     const std::function<bool(const Tiling& tiling)>& accepts = {});

}  // namespace podsim::sw::compiler::tiles
