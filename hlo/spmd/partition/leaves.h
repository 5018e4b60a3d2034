// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hlo/build/graph_builder.h"

/// Splits tuples into their arrays (leaf_shapes) and joins arrays to tuples.
namespace podsim::hlo::spmd::partition {

/// The arrays of a value in order; for an array, the array itself.
std::vector<hlo::InstructionId> apart(build::GraphBuilder& builder, hlo::InstructionId value);
/// Joins arrays to a value with the structure of `shape`.
hlo::InstructionId together(build::GraphBuilder& builder, const hlo::Shape& shape,
                            std::span<const hlo::InstructionId> arrays);
/// A shape with the structure of `shape` and other arrays.
hlo::Shape shape_of(const hlo::Shape& shape, std::span<const hlo::Shape> arrays);

}  // namespace podsim::hlo::spmd::partition
