// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/codegen/builder/element_code.h"
#include "sw/codegen/builder/kernel_builder.h"

namespace podsim::sw::codegen::builder {

/// Columns of a matrix in blocks of `block` lane tiles of 128 columns. A loop over rows handles all lane tiles of a
/// block in one iteration. The last block may have fewer.
struct ColumnBlocks {
  std::int64_t columns = 0;
  std::int64_t block = 1;

  std::int64_t lane_tiles() const;
  std::int64_t count() const;
  /// Index of the first lane tile of a block that is not whole in every block; at least `block` if all are whole.
  std::int64_t first_partial() const;
};

/// Chooses blocks. Up to eight lane tiles are one block. Otherwise the block size is 4 to 8 lane tiles, such that the
/// last block is as full as possible; ties go to the larger size. More than eight would need more registers without
/// gain, since the branch then costs less than a cycle per register.
ColumnBlocks column_blocks(std::int64_t columns);

/// Masks of the lanes that are columns of the matrix, for each lane tile of a block; std::nullopt for a lane tile that
/// is whole in every block.
using LaneMasks = std::vector<std::optional<registers::MaskReg>>;
LaneMasks lane_masks(KernelBuilder& builder, const ColumnBlocks& blocks, registers::ScalarOperand block);

/// Load and store a block's tiles in one row of tiles, as f32. Lane tiles beyond the matrix have undefined contents.
std::vector<registers::VectorReg> load_row(KernelBuilder& builder, hlo::ElementType type, registers::RowAddress address,
                                           std::int64_t lane_tiles);
void store_row(KernelBuilder& builder, hlo::ElementType type, registers::RowAddress address,
               const std::vector<registers::VectorReg>& row);

/// Folds a row into one register with a commutative operation of the vector ALUs, lane by lane. `neutral` is the
/// operation's neutral element. The registers of the row are overwritten.
registers::VectorReg fold_row(KernelBuilder& builder, hw::isa::Opcode opcode, float neutral,
                              const std::vector<registers::VectorReg>& row, const LaneMasks& masks);

}  // namespace podsim::sw::codegen::builder
