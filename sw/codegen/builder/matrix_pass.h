// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/codegen/builder/kernel_builder.h"

namespace podsim::sw::codegen::builder {

/// Distribution of a pass over the matrix units: unit number c * row_units + r takes row group r and column group c.
/// Units of a column group hold the same weights; units of a row group get the same LHS registers.
struct MatrixUnitGrid {
  int row_units = 1;
  int column_units = 1;
  int units() const { return row_units * column_units; }
};

/// An operand in VMEM. A register begins at row base + offset, and sublane i is i * stride rows further. Packed
/// operands are bf16 in tiles of T(8,128)(2,1): four VMEM rows hold eight rows of elements.
struct MatrixOperand {
  int buffer = 0;
  registers::ScalarReg base;
  std::int32_t stride = 1;
  bool packed = false;
};

/// A loop of a pass: the VMEM rows by which each operand moves per step.
struct MatrixPassDimension {
  registers::ScalarOperand trips;
  std::int64_t min_trips = 1;  ///< lower bound of trips in a register
  std::int32_t lhs_step = 0, weights_step = 0, sums_step = 0;
  /// The steps of this dimension accumulate into the same sums.
  bool contraction = false;
};

/// Matrix products of blocks in VMEM, accumulated in f32. In each step of the dimensions every unit latches a weight
/// tile, streams `registers` LHS registers past it and adds the results to the sums:
///
///   sums = before + r(0) + r(1) + ...      from the left, in f32; r(i) is the array's sum of contraction step i
///
/// where `before` is the previous content of the sums, or +0. The pass is one pipelined loop over all dimensions. In
/// the steady state every unit takes an LHS register every 8 cycles. The next weights shift in concurrently if there
/// are at least 16 LHS registers per step (32 with transposed weights).
struct MatrixPass {
  MatrixUnitGrid grid;
  MatrixOperand lhs, weights, sums;
  bool transposed_weights = false;
  /// Offsets from the bases, in VMEM rows: LHS and sums of register j of row group r are at [r * registers + j].
  std::vector<std::int32_t> lhs_offsets, sums_offsets;
  std::int32_t weights_register_offset = 0;  ///< from a register of a weight tile to the next
  std::int32_t weights_column_offset = 0;    ///< from a column group's weight tile to the next group's
  std::int32_t sums_column_offset = 0;
  /// Outermost first; contraction dimensions next to each other.
  std::vector<MatrixPassDimension> dimensions;
  /// SMEM address of a table with the LHS offset of every step of the contraction dimension, for offsets that are not
  /// equally spaced. There must be only one contraction dimension then, with lhs_step 0.
  std::optional<std::int32_t> lhs_table;
  /// Nonzero if the first contraction step is added to the previous content of the sums.
  registers::ScalarOperand sums_before = 0;

  int registers() const { return int(lhs_offsets.size()) / grid.row_units; }
};

void write_matrix_pass(KernelBuilder& builder, const MatrixPass& pass);

}  // namespace podsim::sw::codegen::builder
