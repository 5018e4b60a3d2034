// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/kernels/element_code.h"
#include "sw/kernels/kernel_builder.h"

namespace podsim::sw {

/// Columns of a matrix in blocks of `block` lane tiles, 128 columns each, as loops over rows are written: all lane
/// tiles of a block in one iteration. The last block may have fewer.
struct ColumnBlocks {
  std::int64_t columns = 0;
  std::int64_t block = 1;

  std::int64_t lane_tiles() const;
  std::int64_t count() const;
  /// Of the lane tiles in a block, the first that is not whole in every block; `block` if all are.
  std::int64_t first_partial() const;
};

/// The largest blocks of at most eight lane tiles, of those that leave least of the last block empty: more than eight
/// need more registers and gain nothing, as the branch then costs a register less than a cycle.
ColumnBlocks column_blocks(std::int64_t columns);

/// What lanes of a block's lane tiles are columns of the matrix; nothing for those that are in every block.
using LaneMasks = std::vector<std::optional<MaskReg>>;
LaneMasks lane_masks(KernelBuilder& builder, const ColumnBlocks& blocks, ScalarOperand block);

/// A block's tiles in one row of tiles, as f32, and back. Lane tiles that are not there come as something.
std::vector<VectorReg> load_row(KernelBuilder& builder, ElementType type, RowAddress address, std::int64_t lane_tiles);
void store_row(KernelBuilder& builder, ElementType type, RowAddress address, const std::vector<VectorReg>& row);

/// Folds a row into one register with a commutative operation of the vector ALUs, lane by lane; `neutral` changes
/// nothing. The row's registers are not kept.
VectorReg fold_row(KernelBuilder& builder, hw::isa::Opcode opcode, float neutral, const std::vector<VectorReg>& row,
                   const LaneMasks& masks);

}  // namespace podsim::sw
