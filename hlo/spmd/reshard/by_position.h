// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/spmd/reshard/local_program.h"

/// Writes code that does different things at different positions: numbers by position, slices that start there, and
/// permutes between positions.
namespace podsim::hlo::spmd::reshard {

/// The s32 scalar values[i] at position i along the sub-axes, written as a constant, as a linear function of the
/// position or as a look-up in a constant array.
hlo::InstructionId by_position(LocalProgram& program, const mesh::SubAxes& sub_axes,
                               const std::vector<std::int64_t>& values);

/// A slice of `size` elements along one dimension from `start` (an s32 scalar), with all elements of other dimensions.
hlo::InstructionId slice_from(LocalProgram& program, hlo::InstructionId value, int dimension, hlo::InstructionId start,
                              std::int64_t size);
/// As above, from starts[i] at position i.
hlo::InstructionId slice_by_position(LocalProgram& program, hlo::InstructionId value, int dimension,
                                     const mesh::SubAxes& sub_axes, const std::vector<std::int64_t>& starts,
                                     std::int64_t size);
/// `value` with `update` written over it from `start` along one dimension.
hlo::InstructionId update_from(LocalProgram& program, hlo::InstructionId value, hlo::InstructionId update,
                               int dimension, hlo::InstructionId start);
/// A static slice of one dimension; the value itself if that is all of it.
hlo::InstructionId slice_of(LocalProgram& program, hlo::InstructionId value, int dimension, std::int64_t first,
                            std::int64_t size);
/// `value` padded with `fill` (scalar) before and after along one dimension.
hlo::InstructionId pad_ends(LocalProgram& program, hlo::InstructionId value, int dimension, std::int64_t low,
                            std::int64_t high, hlo::InstructionId fill);

/// A pred array of these sizes: first <= start + i < limit for index i along the dimension. `start` is an s32 scalar.
hlo::InstructionId range_mask(LocalProgram& program, const std::vector<std::int64_t>& sizes, int dimension,
                              hlo::InstructionId start, std::int64_t first, std::int64_t limit);
/// `value` where first <= start + i < limit for index i along the dimension, elsewhere `fill` (scalar).
hlo::InstructionId keep_range(LocalProgram& program, hlo::InstructionId value, int dimension, hlo::InstructionId start,
                              std::int64_t first, std::int64_t limit, hlo::InstructionId fill);

/// A collective-permute in two parts, so that other work can run between them. Position i along the sub-axes gets the
/// value of position sources[i], or zeros if that is -1. No source appears twice.
hlo::InstructionId start_permute(LocalProgram& program, hlo::InstructionId value, const mesh::SubAxes& sub_axes,
                                 const std::vector<std::int64_t>& sources);
hlo::InstructionId finish_permute(LocalProgram& program, hlo::InstructionId started);

}  // namespace podsim::hlo::spmd::reshard
