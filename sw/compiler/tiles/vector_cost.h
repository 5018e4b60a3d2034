// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/ir/graph.h"

namespace podsim::sw::compiler::tiles {

/// Vector-unit work of one instruction on all its elements, in whole registers of 1024 32-bit lanes of the padded
/// array. Loads and stores of its operands and result are not included.
///
/// Arithmetic is fp32 or int32 (TPU v3 has no bf16 ALU): one ALU operation per element for sums, products, extrema,
/// comparisons, selects and conversions; elementwise_cost.h has division, roots and transcendentals. Broadcasts and
/// slices are addressing and cost no vector work. Reshapes to rows of another length, and copies of bf16 rows to other
/// sublanes, move row by row, each in compiler.moved_row_operations.
hw::VectorWork vector_cost(const ir::Instruction& instruction, const ir::Computation& computation,
                           const hw::CompilerParameters& compiler);

/// Number of cross-lane operations, each on a register of 8 x 128 elements:
///
///   reduction over lanes                   one per eight results, or fewer if a register has fewer rows of them
///   slice of lanes                         one per register if it begins within one, three of a single lane
///   broadcast of lanes along other         one per eight elements of the operand, whose lanes become sublanes
///   transpose, copy to another layout      one per register, if the lanes become another dimension, and at least 16
///                                          per block of 128 x 128 words; of narrow elements compiler.packing_share
///                                          more
///   reshape to rows of another length      one per eight rows between other lanes
///   reshape to other lanes                 as a transpose; none if it only renames (sw/ir/renaming.h)
///   concatenation within tiles             one per register, shifted to its position
///   sort                                   one per register of every operand and pass
std::int64_t cross_lane_cost(const ir::Instruction& instruction, const ir::Computation& computation,
                             const hw::CompilerParameters& compiler);

/// Passes of a bitonic sort over the sorted dimension, rounded up to a power of two: k (k + 1) / 2 for 2^k elements.
std::int64_t sort_passes(const ir::Instruction& instruction);

/// True if every operand begins and ends at a tile boundary, so that a DMA can write it to its position.
bool concatenates_tiles(const ir::Instruction& instruction, const ir::Computation& computation);

/// Number of registers (of 1024 32-bit elements) that the padded array fills.
std::int64_t vector_registers(const ir::Shape& shape);

}  // namespace podsim::sw::compiler::tiles
