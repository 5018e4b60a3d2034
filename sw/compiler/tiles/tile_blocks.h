// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "hw/tile_op.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler::tiles {

/// The tiling of an op: numbers of blocks along the rows, the lanes, the contraction, and the batch of independent
/// products. The contraction is the innermost loop; its partial sums stay in VMEM.
struct Tiling {
  std::int64_t batch = 1;
  std::int64_t rows = 1;
  std::int64_t lanes = 1;
  std::int64_t contraction = 1;
  bool rows_outer = true;  ///< rows are the outer loop, so each row block is fetched once; otherwise lanes are
  std::int64_t tiles() const { return batch * rows * lanes * contraction; }
};

/// The blocks of operands and results that one tile of an op works on. The op, its tiling and the machine outlive this.
class TileBlocks {
 public:
  TileBlocks(const OpWork& work, const Tiling& tiling, const TargetMachine& machine)
      : work_(work), tiling_(tiling), machine_(machine) {}

  hw::LevelBytes row_block() const;
  hw::LevelBytes lane_block() const;
  /// A lane block of a product whose weight tiles are collected, as it lies in memory.
  StridedOperand::Block stationary_block() const;
  hw::LevelBytes output_side_block() const;
  hw::LevelBytes written_block() const;
  hw::LevelBytes table_block() const;
  IndexedRows gathered_block() const;
  IndexedRows updated_block() const;
  std::int64_t output_tiles() const { return tiling_.batch * tiling_.rows * tiling_.lanes; }

  /// A tile's share of a matmul whose result stays in VMEM.
  hw::MxuWork earlier_mxu(const MatmulProblem& problem) const;
  hw::MxuWork mxu() const;
  /// fp32 partial sums of one output block.
  base::Bytes accumulator() const;
  /// VMEM that the op occupies. Row and lane blocks are double-buffered if there are several, all other blocks always;
  /// blocks of updated rows count once for reading and once for writing.
  base::Bytes vmem() const;

 private:
  hw::MxuWork spread(const hw::MxuWork& whole) const;
  base::Bytes partial_sums() const;
  base::Bytes collected_side() const;
  hw::LevelBytes with_halo(hw::LevelBytes block, int side) const;

  const OpWork& work_;
  const Tiling& tiling_;
  const TargetMachine& machine_;
};

}  // namespace podsim::sw::compiler::tiles
