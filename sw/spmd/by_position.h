// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/spmd/local_program.h"

/// What differs from partition to partition: numbers by position, parts of arrays from there, and who sends to whom.
namespace podsim::sw {

/// The s32 scalar values[i] at position i along the sub-axes: a constant, a linear function of the position, or a
/// look-up in a constant array.
InstructionId by_position(LocalProgram& program, const SubAxes& sub_axes, const std::vector<std::int64_t>& values);

/// `size` elements along one dimension from `start` (s32 scalar) on, all of the others.
InstructionId slice_from(LocalProgram& program, InstructionId value, int dimension, InstructionId start,
                         std::int64_t size);
/// From starts[i] on at position i.
InstructionId slice_by_position(LocalProgram& program, InstructionId value, int dimension, const SubAxes& sub_axes,
                                const std::vector<std::int64_t>& starts, std::int64_t size);
/// `value` with `update` written over it from `start` on along one dimension.
InstructionId update_from(LocalProgram& program, InstructionId value, InstructionId update, int dimension,
                          InstructionId start);
/// A static slice of one dimension; the value itself where that is all.
InstructionId slice_of(LocalProgram& program, InstructionId value, int dimension, std::int64_t first,
                       std::int64_t size);
/// `fill` (scalar) before and behind along one dimension.
InstructionId pad_ends(LocalProgram& program, InstructionId value, int dimension, std::int64_t low, std::int64_t high,
                       InstructionId fill);

/// pred of these sizes: first <= start + i < limit for index i along the dimension. `start`: s32 scalar.
InstructionId range_mask(LocalProgram& program, const std::vector<std::int64_t>& sizes, int dimension,
                         InstructionId start, std::int64_t first, std::int64_t limit);
/// `value` where first <= start + i < limit for index i along the dimension, elsewhere `fill` (scalar).
InstructionId keep_range(LocalProgram& program, InstructionId value, int dimension, InstructionId start,
                         std::int64_t first, std::int64_t limit, InstructionId fill);

/// Every position along the sub-axes gets the value of position sources[i], or zeros where that is -1. No source twice.
/// In two parts, between which others go on.
InstructionId start_permute(LocalProgram& program, InstructionId value, const SubAxes& sub_axes,
                            const std::vector<std::int64_t>& sources);
InstructionId finish_permute(LocalProgram& program, InstructionId started);

}  // namespace podsim::sw
