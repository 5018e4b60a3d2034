// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sw/ir/build/graph_builder.h"

/// Splits tuples into their arrays (leaf_shapes) and joins arrays to tuples.
namespace podsim::sw::spmd::partition {

/// The arrays of a value in order; for an array, the array itself.
std::vector<ir::InstructionId> apart(ir::build::GraphBuilder& builder, ir::InstructionId value);
/// Joins arrays to a value with the structure of `shape`.
ir::InstructionId together(ir::build::GraphBuilder& builder, const ir::Shape& shape,
                           std::span<const ir::InstructionId> arrays);
/// A shape with the structure of `shape` and other arrays.
ir::Shape shape_of(const ir::Shape& shape, std::span<const ir::Shape> arrays);

}  // namespace podsim::sw::spmd::partition
