// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "hlo/graph.h"
#include "hw/parts/mxu/mxu_parameters.h"
#include "sw/compiler/tiles/strided_operand.h"

namespace podsim::sw::compiler::tiles {

/// A convolution or dot on the systolic array: out = LHS (streamed rows) x RHS (stationary weight tiles).
///
/// The operand that provides the lane dimension of the output, which depends on the output's layout, is stationary. A
/// batch stays in the lanes if there are few channels; then the result is transposed.
/// Padding follows measurements on silicon, with arrays of 128: the contracted dimension is padded to the size of the
/// array for every window tap, the lane dimension likewise, the sublane dimension to the 8 of a layout tile. Taps are
/// packed into one contraction if there are fewer channels than sublanes, and in kernel gradients, which contract batch
/// and space together. Up to 64 channels in the lanes share tiles with the other taps of a side of the window. Taps in
/// window padding are computed; taps in the holes of a dilated input are not.
struct MatmulProblem {
  int row_operand = 0;   ///< number of the operand streamed as LHS rows
  int lane_operand = 1;  ///< number of the operand held stationary

  std::int64_t batch = 1;  ///< independent products (dot batch dimensions)
  std::int64_t lanes = 1;  ///< extent of the lane dimension of the output
  std::int64_t stationary_blocks =
      1;  ///< disjoint stationary blocks of the lane operand, such as pixels if the batch is in the lanes
  std::int64_t contraction_tiles = 1;  ///< tiles of the contraction as deep as the array, all taps
  std::int64_t precision_passes = 1;   ///< over the weight tiles (product_arithmetic.h)
  hw::parts::mxu::Product product = hw::parts::mxu::Product::bf16;  ///< of a pass
  std::int64_t depth = 0;  ///< rows of a weight tile that hold weights, on average; 0: all
  std::int64_t rows = 8;   ///< LHS rows streamed past one weight tile, padded to 8 in the sublane dimension

  std::int64_t output_rows = 1;  ///< over all batches and stationary blocks; 8 rows make a vector register
  /// Extra traffic from splitting the row operand into spatial blocks: rows read twice per split, as a fraction of the
  /// operand.
  double halo_per_split = 0;
  double max_halo = 0;  ///< the same of tiles of one output: elements of a window beyond those that it moves on by
  std::int64_t splits_without_halo = 1;  ///< splits along the batch, which need no halo

  /// Layout tiles of 8 x 128 words that pass the cross-lane unit: of the streamed operand, rotated to pack taps, and of
  /// the result, whose batch and features exchange lanes.
  std::int64_t row_rotations = 0;
  std::int64_t output_transposes = 0;

  /// Rows of up to a register's lanes of the streamed and of the stationary operand that change sublanes, one by one:
  /// those of weights whose contraction is in major dimensions, and of an image that has another dimension in the
  /// sublanes than the other image of the convolution.
  std::int64_t moved_row_rows = 0;
  std::int64_t moved_lane_rows = 0;
  /// The same of a result with a dimension of one element in the sublanes: eight rows leave the array in a register and
  /// go to a layout tile of their own each, if that is less work than to stream a register for each.
  std::int64_t moved_output_rows = 0;

  StridedOperand stationary;  ///< of a product whose weight tiles are collected row by row; else without dimensions

  auto operator<=>(const MatmulProblem&) const = default;
  std::int64_t weight_tiles(std::int64_t array) const;
};

/// `instruction` is a convolution or dot; a convolution with a batch in its window is a dot (batched_product.h). `lhs`
/// and `rhs` are the shapes of its operands. The size of the array and its products decide.
MatmulProblem matmul_problem(const hlo::Instruction& instruction, const hlo::Shape& lhs, const hlo::Shape& rhs,
                             const hw::parts::mxu::Parameters& unit);

/// Fraction of the input that a convolution reads. The DMA skips rows of the outermost spatial dimension that no window
/// touches (a strided window of size 1, forward or in a weight gradient).
double input_share_read(const hlo::Instruction& convolution, const hlo::Shape& input);

}  // namespace podsim::sw::compiler::tiles
