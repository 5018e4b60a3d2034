// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/spmd/reshard/local_program.h"

/// Writes code that does different things at different positions: numbers by position, slices that start there, and
/// permutes between positions.
namespace podsim::sw::spmd::reshard {

/// The s32 scalar values[i] at position i along the sub-axes, written as a constant, as a linear function of the
/// position or as a look-up in a constant array.
ir::InstructionId by_position(LocalProgram& program, const mesh::SubAxes& sub_axes,
                              const std::vector<std::int64_t>& values);

/// A slice of `size` elements along one dimension from `start` (an s32 scalar), with all elements of other dimensions.
ir::InstructionId slice_from(LocalProgram& program, ir::InstructionId value, int dimension, ir::InstructionId start,
                             std::int64_t size);
/// As above, from starts[i] at position i.
ir::InstructionId slice_by_position(LocalProgram& program, ir::InstructionId value, int dimension,
                                    const mesh::SubAxes& sub_axes, const std::vector<std::int64_t>& starts,
                                    std::int64_t size);
/// `value` with `update` written over it from `start` along one dimension.
ir::InstructionId update_from(LocalProgram& program, ir::InstructionId value, ir::InstructionId update, int dimension,
                              ir::InstructionId start);
/// A static slice of one dimension; the value itself if that is all of it.
ir::InstructionId slice_of(LocalProgram& program, ir::InstructionId value, int dimension, std::int64_t first,
                           std::int64_t size);
/// `value` padded with `fill` (scalar) before and after along one dimension.
ir::InstructionId pad_ends(LocalProgram& program, ir::InstructionId value, int dimension, std::int64_t low,
                           std::int64_t high, ir::InstructionId fill);

/// A pred array of these sizes: first <= start + i < limit for index i along the dimension. `start` is an s32 scalar.
ir::InstructionId range_mask(LocalProgram& program, const std::vector<std::int64_t>& sizes, int dimension,
                             ir::InstructionId start, std::int64_t first, std::int64_t limit);
/// `value` where first <= start + i < limit for index i along the dimension, elsewhere `fill` (scalar).
ir::InstructionId keep_range(LocalProgram& program, ir::InstructionId value, int dimension, ir::InstructionId start,
                             std::int64_t first, std::int64_t limit, ir::InstructionId fill);

/// A collective-permute in two parts, so that other work can run between them. Position i along the sub-axes gets the
/// value of position sources[i], or zeros if that is -1. No source appears twice.
ir::InstructionId start_permute(LocalProgram& program, ir::InstructionId value, const mesh::SubAxes& sub_axes,
                                const std::vector<std::int64_t>& sources);
ir::InstructionId finish_permute(LocalProgram& program, ir::InstructionId started);

}  // namespace podsim::sw::spmd::reshard
