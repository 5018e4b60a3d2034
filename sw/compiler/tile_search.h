// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/machine.h"
#include "hw/tile_pipeline.h"
#include "sw/compiler/op_work.h"
#include "sw/compiler/tile_blocks.h"

namespace podsim::sw {

/// Of all cuts into at most 1024 tiles that fit VMEM (16384, then 262144 where none does) the one with the smallest
/// modelled cost by `pipeline`, which is of the machine; more and smaller tiles must gain something. Throws
/// base::SimulationError when nothing fits.
TileCuts choose_cuts(const OpWork& work, const hw::Machine& machine, hw::TilePipeline& pipeline,
                     const std::string& name);
/// With a pipeline of its own.
TileCuts choose_cuts(const OpWork& work, const hw::Machine& machine, const std::string& name);

}  // namespace podsim::sw
