// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/codegen/builder/matrix_epilogue.h"
#include "sw/codegen/builder/matrix_pass.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/tile_plan.h"

namespace podsim::sw::codegen::families::matrix {

/// c[m, n] = epilogue(a[m, k] * b[k, n]). b is stored as b[n, k] if it is transposed. A plan needs nonzero m and n.
struct KernelMatmul {
  std::int64_t m = 0, n = 0, k = 0;
  bool packed = false;      ///< a, b and c are bf16, otherwise f32
  bool transposed = false;  ///< b is transposed
  bool bias = false;        ///< there is a bias, which is f32
  builder::Activation activation = builder::Activation::none;
  bool in_vmem = false;  ///< the arrays are in VMEM before the kernel begins and stay there

  builder::Epilogue epilogue() const { return {bias, activation, packed}; }

  std::int64_t row_blocks() const { return base::divide_round_up(m, std::int64_t(builder::register_rows)); }
  std::int64_t lane_blocks() const { return base::divide_round_up(n, std::int64_t(builder::register_lanes)); }
  std::int64_t contraction_tiles() const { return base::divide_round_up(k, std::int64_t(builder::register_lanes)); }
  /// Contraction elements of the last tile; its padding must be cleared.
  std::int64_t last_contraction() const { return k - builder::register_lanes * (contraction_tiles() - 1); }
  bool contraction_padded() const { return k % builder::register_lanes != 0; }
};

/// HBM word addresses.
struct MatmulAddresses {
  std::uint32_t a = 0, b = 0, bias = 0, c = 0;
};

/// Tiling of a matmul: blocks of c of `rows` row blocks (8 rows) and `lanes` lane blocks (128 columns), computed in
/// steps of `contraction` tiles of 128. The contraction is the innermost loop.
struct MatmulTiling {
  std::int64_t rows = 1, lanes = 1, contraction = 1;
  bool lanes_outer = true;       ///< the loop over lanes is outside the loop over rows
  builder::MatrixUnitGrid grid;  ///< distribution of a block over the units
  int registers = 1;             ///< LHS registers per weight tile and unit
};

class MatmulPlan {
 public:
  MatmulPlan(const KernelMatmul& problem, const MatmulTiling& tiling, const MatmulAddresses& addresses);

  const KernelMatmul& problem() const { return problem_; }
  const MatmulTiling& tiling() const { return tiling_; }
  const builder::TilePlan& tiles() const { return tiles_; }

  // Dimensions of the grid of tiles, and indices of the plan's streams. Bias, a and b may be absent.
  int row_dimension() const { return tiling_.lanes_outer ? 1 : 0; }
  int lane_dimension() const { return tiling_.lanes_outer ? 0 : 1; }
  static constexpr int contraction_dimension = 2;
  static constexpr int c = 0, bias = 1;
  int b() const { return problem_.bias ? 2 : 1; }
  int a() const { return b() + 1; }

  /// Row and lane blocks of a block in VMEM, padded to equal shares of the matrix units and to whole groups of the
  /// epilogue.
  std::int64_t padded_rows() const;
  std::int64_t padded_lanes() const;
  /// VMEM rows of the f32 sums, if they are not in c itself.
  std::int64_t sum_rows() const;

  /// Steps of a tile's matrix pass along a dimension: LHS blocks, groups of as many weight columns as the grid has
  /// column units, contraction tiles. `last` selects the last tile of the dimension, which may be smaller.
  std::int64_t row_steps(bool last) const;
  std::int64_t lane_steps(bool last) const;
  std::int64_t contraction_steps(bool last) const;

  /// Row blocks per step of the epilogue, and number of its steps.
  int epilogue_rows() const;
  std::int64_t epilogue_steps(bool last) const;

  hw::TileOp tile_op(const std::string& name) const;

 private:
  /// Work of clearing the contraction's padding, in data that a tile is the first to have.
  hw::VectorWork clearing(std::span<const std::int64_t> indices) const;
  std::vector<hw::TilePhase> phases(std::span<const std::int64_t> indices) const;

  KernelMatmul problem_;
  MatmulTiling tiling_;
  builder::TilePlan tiles_;
};

}  // namespace podsim::sw::codegen::families::matrix
