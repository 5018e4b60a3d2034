// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "hlo/spmd/reshard/local_program.h"

/// Windowed einsum: a product whose collective is split into steps that run concurrently with partial products (GSPMD,
/// Xu et al. 2021, section 3.2; Wang et al., ASPLOS 2023).
namespace podsim::hlo::spmd::partition {

/// A factor of a dot with `size` elements that is split over `sub_axes`, into shards of ceil(size / n) elements at the
/// n positions along them.
struct EinsumRing {
  mesh::SubAxes sub_axes;
  std::int64_t size = 0;
  std::array<int, 2> operand_dimensions{-1, -1};  ///< dimension of each operand that has the factor, -1 if none has
  int result_dimension = -1;                      ///< dimension of the result that has the factor, -1 if none has
};

/// Multiplies while it gathers operand number `sharded`, of which each partition holds its shard of the factor. The
/// other operand has the whole factor, and so has the result unless the product sums over it. The shards circulate: in
/// each of n - 1 steps a partition multiplies the shard that it has and sends it on. If the factor is summed and does
/// not divide evenly, elements of the last shard beyond its end must be 0. Dimension numbers are those of `dot`;
/// `result` is the shape of the result in one partition.
hlo::InstructionId gather_while_multiplying(reshard::LocalProgram& program, const hlo::Instruction& dot,
                                            const EinsumRing& ring, int sharded,
                                            std::array<hlo::InstructionId, 2> operands, const hlo::Shape& result);

/// Multiplies while it reduce-scatters the result. The operands have the whole factor, the products are addends along
/// the sub-axes, and every partition gets its shard of the sum. The sums circulate: in each of n - 1 steps a partition
/// adds its product for the shard that it has and sends it on.
hlo::InstructionId scatter_while_multiplying(reshard::LocalProgram& program, const hlo::Instruction& dot,
                                             const EinsumRing& ring, std::array<hlo::InstructionId, 2> operands);

}  // namespace podsim::hlo::spmd::partition
