// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// A convolution or dot as the systolic array sees it: out = LHS (streamed rows) x RHS (stationary weight tiles).
///
/// The operand that provides the lane dimension of the output is stationary; which one that is follows from the
/// output's layout. Padding is what silicon shows: the contracted dimension to 128 for every window tap (taps are
/// packed into one contraction when there are fewer channels than sublanes, and in weight gradients, which contract
/// batch and space together), the lane dimension to 128, the sublane dimension to 8. Taps that fall into window padding
/// are computed all the same; taps that fall into the holes of a dilated input are not.
struct MatmulProblem {
  int row_operand = 0;   ///< operand number streamed as LHS rows
  int lane_operand = 1;  ///< operand number held stationary

  std::int64_t batch = 1;  ///< independent products (dot batch dimensions)
  std::int64_t lanes = 1;  ///< extent of the lane dimension of the output
  std::int64_t stationary_blocks =
      1;  ///< disjoint stationary blocks of the lane operand, such as pixels with batch in lanes
  std::int64_t contraction_tiles = 1;  ///< 128-deep tiles of the contraction, all taps
  std::int64_t rows = 8;               ///< LHS rows streamed past one weight tile, padded to 8 in the sublane dimension

  std::int64_t output_rows = 1;  ///< output rows (8 of them a vector register) over all batches and stationary blocks
  /// Of the extra traffic that cutting the row operand into spatial blocks causes: rows read twice per cut, as a share
  /// of the operand.
  double halo_per_cut = 0;
  std::int64_t cuts_without_halo = 1;  ///< cuts available along the batch, which need no halo

  auto operator<=>(const MatmulProblem&) const = default;
  std::int64_t weight_tiles(std::int64_t array) const;
};

/// `instruction` is a convolution or dot; `lhs` and `rhs` are the shapes of its operands.
MatmulProblem matmul_problem(const Instruction& instruction, const Shape& lhs, const Shape& rhs, std::int64_t array);

/// The share of the input that a convolution reads: rows of the outermost spatial dimension that no window touches (a
/// strided one-wide window, forward or in a weight gradient) are skipped by the DMA.
double input_share_read(const Instruction& convolution, const Shape& input);

}  // namespace podsim::sw
