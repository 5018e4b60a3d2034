// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/kernels/kernel_builder.h"

namespace podsim::sw {

/// How the matrix units share a pass: unit number c * row_units + r takes row group r and column group c. Units of one
/// column group hold the same weights, those of one row group get the same LHS registers.
struct MatrixUnitGrid {
  int row_units = 1;
  int column_units = 1;
  int units() const { return row_units * column_units; }
};

/// An operand in VMEM: the register of a step begins at base + offset, and sublane i is i * stride rows on. Packed
/// operands are bf16 in tiles of T(8,128)(2,1): four rows hold eight.
struct MatrixOperand {
  int buffer = 0;
  ScalarReg base;
  std::int32_t stride = 1;
  bool packed = false;
};

/// One loop of a pass: how many VMEM rows each operand moves by per step.
struct MatrixPassDimension {
  ScalarOperand trips;
  std::int64_t least_trips = 1;  ///< of a register, as far as known ahead
  std::int32_t lhs_step = 0, weights_step = 0, sums_step = 0;
  /// Its steps add up in the same sums.
  bool contraction = false;
};

/// Matrix products of blocks in VMEM, accumulated in f32: in each step of the dimensions every unit latches a weight
/// tile, streams `registers` LHS registers past it and adds the results to the sums:
///
///   sums = before + r(0) + r(1) + ...      from the left, in f32; r(i) is the array's sum of contraction step i
///
/// where `before` is what the sums held, or +0. One pipelined loop over all dimensions: in the steady state every unit
/// takes an LHS register each 8 cycles, and the next weights shift in meanwhile if there are at least 16 registers (32
/// with transposed weights).
struct MatrixPass {
  MatrixUnitGrid grid;
  MatrixOperand lhs, weights, sums;
  bool transposed_weights = false;
  /// Offsets from the bases, in VMEM rows: LHS and sums of register j of row group r at [r * registers + j].
  std::vector<std::int32_t> lhs_offsets, sums_offsets;
  std::int32_t weights_register_offset = 0;  ///< from one register of a weight tile to the next
  std::int32_t weights_column_offset = 0;    ///< from the weight tile of one column group to the next one's
  std::int32_t sums_column_offset = 0;
  /// Outermost first; contraction dimensions next to each other.
  std::vector<MatrixPassDimension> dimensions;
  /// Where the LHS offset of every step of the only contraction dimension is in SMEM, if those are not equal steps; its
  /// lhs_step is 0.
  std::optional<std::int32_t> lhs_table;
  /// Whether the sums hold something that the first contraction step is to be added to: not if 0.
  ScalarOperand sums_before = 0;

  int registers() const { return int(lhs_offsets.size()) / grid.row_units; }
};

void write_matrix_pass(KernelBuilder& builder, const MatrixPass& pass);

}  // namespace podsim::sw
