// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/vector_register.h"
#include "hw/machine.h"

namespace podsim::hw {

/// Registers of weights in a tile of 128 x 128.
inline constexpr int tile_registers = lanes / sublanes;
/// Cycles in which the rows of an LHS register enter the array, one row per cycle.
inline constexpr base::Cycles lhs_interval{sublanes};

/// A matrix unit as its models at bundle level use it (hw/bundle/matrix_unit.h).
struct ArrayParameters {
  std::int64_t operand_fifo = 0;  ///< registers waiting for the array, LHS and weights each
  std::int64_t result_fifo = 0;   ///< registers in the array and behind it
  base::Cycles result_latency;    ///< start of an LHS register until its result can be popped; at least 135
  base::Cycles weight_interval;   ///< cycles in which a weight register enters: 8, 4, 2 or 1
};

/// base::InputError for an array that is not 128 x 128, or whose weights do not come by 1, 2, 4 or 8 rows per cycle.
ArrayParameters array_parameters(const Machine& machine);

}  // namespace podsim::hw
