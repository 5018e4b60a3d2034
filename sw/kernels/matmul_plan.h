// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/kernels/matrix_epilogue.h"
#include "sw/kernels/matrix_pass.h"
#include "sw/kernels/tile_plan.h"

namespace podsim::sw {

/// c[m, n] = epilogue(a[m, k] * b[k, n]); b is given as b[n, k] if it is transposed. With empty sizes there
/// is nothing to plan.
struct KernelMatmul {
  std::int64_t m = 0, n = 0, k = 0;
  bool packed = false;      ///< a, b and c are bf16, otherwise f32
  bool transposed = false;  ///< b
  bool bias = false;        ///< f32
  Activation activation = Activation::none;
  bool in_vmem = false;  ///< the arrays are in VMEM before and stay there

  Epilogue epilogue() const { return {bias, activation, packed}; }

  std::int64_t row_blocks() const { return base::divide_round_up(m, std::int64_t(8)); }
  std::int64_t lane_blocks() const { return base::divide_round_up(n, std::int64_t(128)); }
  std::int64_t contraction_tiles() const { return base::divide_round_up(k, std::int64_t(128)); }
  /// Contraction elements of the last tile; the rest of it must be made zero.
  std::int64_t last_contraction() const { return k - 128 * (contraction_tiles() - 1); }
  bool contraction_padded() const { return k % 128 != 0; }
};

/// HBM word addresses.
struct MatmulAddresses {
  std::uint32_t a = 0, b = 0, bias = 0, c = 0;
};

/// How a matmul is cut: blocks of c of `rows` row blocks (8 rows) and `lanes` lane blocks (128 columns), made in steps
/// of `contraction` tiles of 128. The contraction is the innermost loop.
struct MatmulCuts {
  std::int64_t rows = 1, lanes = 1, contraction = 1;
  bool lanes_outer = true;  ///< rows change faster than lanes
  MatrixUnitGrid grid;      ///< how units share a block
  int registers = 1;        ///< LHS registers per weight tile and unit
};

class MatmulPlan {
 public:
  MatmulPlan(const KernelMatmul& problem, const MatmulCuts& cuts, const MatmulAddresses& addresses);

  const KernelMatmul& problem() const { return problem_; }
  const MatmulCuts& cuts() const { return cuts_; }
  const TilePlan& tiles() const { return tiles_; }

  // Dimensions of the grid of tiles, and streams of the plan: bias, a and b only if there are such.
  int row_dimension() const { return cuts_.lanes_outer ? 1 : 0; }
  int lane_dimension() const { return cuts_.lanes_outer ? 0 : 1; }
  static constexpr int contraction_dimension = 2;
  static constexpr int c = 0, bias = 1;
  int b() const { return problem_.bias ? 2 : 1; }
  int a() const { return b() + 1; }

  /// Of a block in VMEM, padded so that the matrix units' shares are equal, and to whole groups of the epilogue.
  std::int64_t padded_rows() const;
  std::int64_t padded_lanes() const;
  /// VMEM rows of the f32 sums, where they are not in c.
  std::int64_t sum_rows() const;

  /// Steps of a tile's matrix pass along a dimension: LHS blocks, pairs (or whatever the grid takes) of weight columns,
  /// contraction tiles. `last` for the last tile of the dimension, which may be smaller.
  std::int64_t row_steps(bool last) const;
  std::int64_t lane_steps(bool last) const;
  std::int64_t contraction_steps(bool last) const;

  /// Row blocks that the epilogue takes at a time, and how many times.
  int epilogue_rows() const;
  std::int64_t epilogue_steps(bool last) const;

  hw::TileOp tile_op(const std::string& name) const;

 private:
  /// Of the contraction's padding, in what a tile is the first to have.
  hw::VectorWork clearing(std::span<const std::int64_t> indices) const;
  std::vector<hw::TilePhase> phases(std::span<const std::int64_t> indices) const;

  KernelMatmul problem_;
  MatmulCuts cuts_;
  TilePlan tiles_;
};

}  // namespace podsim::sw
