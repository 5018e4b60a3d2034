// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/vector/vector_register.h"
#include "hw/machine.h"

namespace podsim::hw::bundle::matrix {

using vector::tile_registers;

/// Cycles that an LHS register takes to enter the array, one row per cycle.
inline constexpr base::Cycles lhs_interval{vector::sublanes};

/// Parameters of a matrix unit for its bundle-level models (hw/bundle/matrix/matrix_unit.h).
struct ArrayParameters {
  std::int64_t operand_fifo = 0;  ///< capacity of the LHS FIFO and of the weight FIFO, in registers
  std::int64_t result_fifo = 0;   ///< maximum number of results in the array and in the result FIFO, in registers
  base::Cycles result_latency;    ///< from the start of an LHS register until its result can be popped; at least 135
  base::Cycles weight_interval;   ///< cycles that a weight register takes to enter: 8, 4, 2 or 1
};

/// Throws isa::UnfitMachine for an array that bundles do not run on (hw/isa/fixed_sizes.h).
ArrayParameters array_parameters(const Machine& machine);

}  // namespace podsim::hw::bundle::matrix
