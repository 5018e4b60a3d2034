// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "hw/tile_op.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler::tiles {

using VectorUnit = hw::parts::vector::Parameters;

/// Vector-unit work of one instruction on all its elements, in whole registers (vector.sublanes x vector.lanes) of the
/// padded array. Loads and stores of its operands and result are not included.
///
/// Arithmetic is in f32 or s32, or in bf16 where the lanes compute in it (elements_per_lane()): one ALU operation per
/// register for sums, products, extrema, comparisons, selects and conversions; elementwise_cost.h has division, roots
/// and transcendentals. A conversion of narrow elements to words costs what the program's converts say; none is added.
/// Broadcasts and slices are addressing and cost no vector work. Reshapes to rows of another length, and copies of bf16
/// rows to other sublanes, move row by row, each in compiler.moved_row_operations.
hw::VectorWork vector_cost(const hlo::Instruction& instruction, const hlo::Computation& computation,
                           const TargetMachine& machine);

/// Number of cross-lane operations, each on a register (here of 8 x 128 elements):
///
///   reduction over lanes                   one per eight results, or fewer if a register has fewer rows of them
///   slice of lanes                         one per register if it begins within one, three of a single lane
///   broadcast of lanes along other         one per eight elements of the operand, whose lanes become sublanes
///   transpose, copy to another layout      one per register, if the lanes become another dimension, and at least 16
///                                          per block of 128 x 128 words; of narrow elements compiler.packing_share
///                                          more
///   reshape to rows of another length      one per eight rows between other lanes
///   reshape to other lanes                 as a transpose; none if it only renames (hlo/renaming.h)
///   concatenation within tiles             one per register, shifted to its position
///   sort                                   one per register of every operand and pass
std::int64_t lane_moves_of(const hlo::Instruction& instruction, const hlo::Computation& computation,
                           const TargetMachine& machine);

/// Passes of a bitonic sort over the sorted dimension, rounded up to a power of two: k (k + 1) / 2 for 2^k elements.
std::int64_t sort_passes(const hlo::Instruction& instruction);

/// True if every operand begins and ends at a tile boundary, so that a DMA can write it to its position.
bool concatenates_tiles(const hlo::Instruction& instruction, const hlo::Computation& computation);

/// Number of registers that the padded array fills with `per_lane` elements to a lane of 32 bits.
std::int64_t vector_registers(const hlo::Shape& shape, const VectorUnit& unit, std::int64_t per_lane = 1);

/// Registers of that many layout tiles of 8 x 128 words, rounded up.
std::int64_t registers_of_tiles(std::int64_t tiles, const VectorUnit& unit);

/// Elements that a lane computes at once: 2 of bf16 if the lanes compute in it and all arrays of the instruction are
/// bf16 or masks, else 1.
std::int64_t elements_per_lane(const hlo::Instruction& instruction, const hlo::Computation& computation,
                               const VectorUnit& unit);

}  // namespace podsim::sw::compiler::tiles
