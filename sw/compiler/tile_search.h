// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "hw/tile_pipeline.h"
#include "sw/compiler/op_work.h"

namespace podsim::sw {

/// How an op is cut: cuts of the rows, of the lanes, of the contraction and of the batch of independent products. The
/// contraction is the innermost loop, its partial sums stay in VMEM.
struct TileCuts {
  std::int64_t batch = 1;
  std::int64_t rows = 1;
  std::int64_t lanes = 1;
  std::int64_t contraction = 1;
  bool rows_outer = true;  ///< rows change slowest, so each row block is fetched once; otherwise lanes do
  std::int64_t tiles() const { return batch * rows * lanes * contraction; }
};

/// The op as tiles under the given cuts. Work hidden behind the MXU stands in its phase, the share
/// compiler.exposed_vector_fraction of a matmul's vector work in phases before (prologue) and after (epilogue) it.
hw::TileOp make_tiles(const OpWork& work, const TileCuts& cuts, const hw::Machine& machine, std::string name);

/// Of all cuts into at most 1024 tiles that fit VMEM (16384, then 262144 where none does) the one with the smallest
/// modelled cost by `pipeline`, which is of the machine; more and smaller tiles must gain something. Throws
/// base::SimulationError when nothing fits.
TileCuts choose_cuts(const OpWork& work, const hw::Machine& machine, hw::TilePipeline& pipeline,
                     const std::string& name);
/// With a pipeline of its own.
TileCuts choose_cuts(const OpWork& work, const hw::Machine& machine, const std::string& name);

}  // namespace podsim::sw
