// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "hw/machine.h"
#include "hw/tile_op.h"
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

/// The blocks of its operands and results that one tile of an op works on. The op, its cuts and the machine outlive it.
class TileBlocks {
 public:
  TileBlocks(const OpWork& work, const TileCuts& cuts, const hw::Machine& machine)
      : work_(work), cuts_(cuts), machine_(machine) {}

  base::Bytes row_block() const;
  base::Bytes lane_block() const;
  base::Bytes output_side_block() const;
  base::Bytes written_block() const;
  IndexedRows gathered_block() const;
  IndexedRows updated_block() const;
  std::int64_t output_tiles() const { return cuts_.batch * cuts_.rows * cuts_.lanes; }

  /// A tile's share of a matmul whose result stays in VMEM.
  hw::MxuWork earlier_mxu(const MatmulProblem& problem) const;
  hw::MxuWork mxu() const;
  /// fp32 partial sums of one output block.
  base::Bytes accumulator() const;
  /// What the op holds of VMEM, its blocks double buffered where there is more than one.
  base::Bytes vmem() const;

 private:
  hw::MxuWork spread(const hw::MxuWork& whole) const;
  base::Bytes with_halo(base::Bytes block, int side) const;

  const OpWork& work_;
  const TileCuts& cuts_;
  const hw::Machine& machine_;
};

}  // namespace podsim::sw
