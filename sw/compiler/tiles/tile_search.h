// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/machine.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_blocks.h"

namespace podsim::sw::compiler::tiles {

/// Searches all tilings of at most 1024 tiles that fit VMEM (then 16384, then 262144 if none does) and returns the one
/// with the smallest cost by `pipeline`, a model of `machine`; more and smaller tiles must gain something. If none
/// fits, rows and lanes are cut beyond registers and weight tiles, whose padding every tile then pays, until they do.
Tiling choose_tiling(const OpWork& work, const hw::Machine& machine, hw::timing::TilePipeline& pipeline,
                     const std::string& name);
/// Makes its own pipeline.
Tiling choose_tiling(const OpWork& work, const hw::Machine& machine, const std::string& name);

}  // namespace podsim::sw::compiler::tiles
