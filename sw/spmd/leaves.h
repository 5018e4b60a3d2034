// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sw/graph/graph_builder.h"

/// Tuples taken apart into their arrays (leaf_shapes), and put together again.
namespace podsim::sw {

/// The arrays of a value in order; of an array itself.
std::vector<InstructionId> apart(GraphBuilder& builder, InstructionId value);
/// A value of the structure of `shape` out of its arrays.
InstructionId together(GraphBuilder& builder, const Shape& shape, std::span<const InstructionId> arrays);
/// The structure of `shape` with other arrays.
Shape shape_of(const Shape& shape, std::span<const Shape> arrays);

}  // namespace podsim::sw
