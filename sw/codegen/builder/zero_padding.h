// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/codegen/builder/kernel_builder.h"
#include "sw/codegen/builder/matrix_pass.h"

/// Clears in VMEM the padding of a matmul's contraction to 128, in both operands. Padding has unspecified contents,
/// such as NaN, and only zero times zero is sure to add nothing.
namespace podsim::sw::codegen::builder {

/// Tiles with padding to be cleared. Their addresses are the operand's base plus i * offset for each dimension, for all
/// i below `count`. If `wanted` is present, they are cleared only if that predicate is set.
struct PaddedTiles {
  struct Dimension {
    registers::ScalarOperand count;
    std::int32_t offset = 0;  ///< VMEM rows
  };
  MatrixOperand operand;
  std::vector<Dimension> dimensions;
  std::optional<registers::PredicateReg> wanted;
};

/// Clears the lanes from number `lanes` of every tile.
void clear_lanes(KernelBuilder& builder, const PaddedTiles& tiles, int lanes);
/// Clears the rows from number `rows` of blocks of 128 rows: 16 tiles each, `tile_offset` VMEM rows apart.
void clear_rows(KernelBuilder& builder, const PaddedTiles& blocks, std::int32_t tile_offset, int rows);
/// Clears the rows from number `rows` of the 8 rows of every tile.
void clear_rows_of_tiles(KernelBuilder& builder, const PaddedTiles& tiles, int rows);

}  // namespace podsim::sw::codegen::builder
