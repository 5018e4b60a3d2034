// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/tile_op.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// Vector-unit work of one instruction on all its elements, in whole registers of 1024 32-bit lanes of the padded
/// array, loads and stores of its operands and result not included.
///
/// Arithmetic is fp32 or int32 (TPU v3 has no bf16 ALU): one ALU operation per element for sums, products, extrema,
/// comparisons, selects and conversions. Division, roots and transcendentals go through the transcendental unit with
/// ALU operations around them for range reduction and refinement; those counts are an assumption. Broadcasts, reshapes
/// and slices are addressing.
hw::VectorWork vector_cost(const Instruction& instruction, const Computation& computation);

/// Cross-lane operations: one register per eight results of a reduction over lanes, every register of a transpose.
std::int64_t cross_lane_cost(const Instruction& instruction, const Computation& computation);

/// Registers (1024 32-bit elements) that the padded array fills.
std::int64_t vector_registers(const Shape& shape);

}  // namespace podsim::sw
