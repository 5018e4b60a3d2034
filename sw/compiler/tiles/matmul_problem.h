// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "sw/ir/graph.h"

namespace podsim::sw::compiler::tiles {

/// A convolution or dot on the systolic array: out = LHS (streamed rows) x RHS (stationary weight tiles).
///
/// The operand that provides the lane dimension of the output, which depends on the output's layout, is stationary. A
/// batch beside few channels stays in the lanes; then the result is transposed.
/// Padding follows measurements on silicon: the contracted dimension is padded to 128 for every window tap, the lane
/// dimension to 128, the sublane dimension to 8. Taps are packed into one contraction if there are fewer channels than
/// sublanes, and in kernel gradients, which contract batch and space together. Up to 64 channels in the lanes share
/// tiles with the other taps of a side of the window. Taps in window padding are computed; taps in the holes of a
/// dilated input are not.
struct MatmulProblem {
  int row_operand = 0;   ///< number of the operand streamed as LHS rows
  int lane_operand = 1;  ///< number of the operand held stationary

  std::int64_t batch = 1;  ///< independent products (dot batch dimensions)
  std::int64_t lanes = 1;  ///< extent of the lane dimension of the output
  std::int64_t stationary_blocks =
      1;  ///< disjoint stationary blocks of the lane operand, such as pixels if the batch is in the lanes
  std::int64_t contraction_tiles = 1;  ///< 128-deep tiles of the contraction, all taps
  std::int64_t precision_passes = 1;   ///< over the weight tiles (product_arithmetic.h)
  std::int64_t rows = 8;               ///< LHS rows streamed past one weight tile, padded to 8 in the sublane dimension

  std::int64_t output_rows = 1;  ///< over all batches and stationary blocks; 8 rows make a vector register
  /// Extra traffic from splitting the row operand into spatial blocks: rows read twice per split, as a fraction of the
  /// operand.
  double halo_per_split = 0;
  double most_halo = 0;  ///< the same of tiles of one output: elements of a window beyond those that it moves on by
  std::int64_t splits_without_halo = 1;  ///< splits along the batch, which need no halo

  /// Registers that pass the cross-lane unit: of the streamed operand, rotated to pack taps, and of the result, whose
  /// batch and features exchange lanes.
  std::int64_t row_rotations = 0;
  std::int64_t output_transposes = 0;

  auto operator<=>(const MatmulProblem&) const = default;
  std::int64_t weight_tiles(std::int64_t array) const;
};

/// `instruction` is a convolution or dot; a convolution with a batch in its window is a dot (batched_product.h). `lhs`
/// and `rhs` are the shapes of its operands.
MatmulProblem matmul_problem(const ir::Instruction& instruction, const ir::Shape& lhs, const ir::Shape& rhs,
                             std::int64_t array);

/// Fraction of the input that a convolution reads. The DMA skips rows of the outermost spatial dimension that no window
/// touches (a strided window of size 1, forward or in a weight gradient).
double input_share_read(const ir::Instruction& convolution, const ir::Shape& input);

}  // namespace podsim::sw::compiler::tiles
