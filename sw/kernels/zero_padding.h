// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/kernels/kernel_builder.h"
#include "sw/kernels/matrix_pass.h"

/// What pads the contraction of a matmul to 128 is made zero in VMEM, on both sides: padding holds anything, and
/// nothing but zero times zero adds nothing.
namespace podsim::sw {

/// Tiles whose padding is to be cleared, if `wanted` is set: one at every sum of the operand's base and i * offset for
/// i below `count`, over the dimensions.
struct PaddedTiles {
  struct Dimension {
    ScalarOperand count;
    std::int32_t offset = 0;  ///< VMEM rows
  };
  MatrixOperand operand;
  std::vector<Dimension> dimensions;
  std::optional<PredicateReg> wanted;
};

/// Lanes from `lanes` on of every tile.
void clear_lanes(KernelBuilder& builder, const PaddedTiles& tiles, int lanes);
/// In blocks of 16 tiles of which one is `tile_offset` VMEM rows behind the other: rows from `rows` on of their 128.
void clear_rows(KernelBuilder& builder, const PaddedTiles& blocks, std::int32_t tile_offset, int rows);
/// Rows from `rows` on of the 8 of every tile.
void clear_rows_of_tiles(KernelBuilder& builder, const PaddedTiles& tiles, int rows);

}  // namespace podsim::sw
