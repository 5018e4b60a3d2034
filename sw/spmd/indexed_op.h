// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/spmd/factor_cut.h"

/// The ops of partition_indexed. Each returns nothing where no indexed dimension is to be cut.
namespace podsim::sw {

/// Indices of any integer type as s32, so that a shard's offset can be taken from them. Those that s32 does not hold
/// stay below 0 or far above every dimension.
InstructionId signed_indices(GraphBuilder& builder, InstructionId indices);

/// What joins partial results of which one has the value and the others have zeros.
Opcode selecting_combiner(ElementType type);

/// The element of the index vectors that is for dimension d of the operand, if one is.
std::optional<std::size_t> index_component(const GatherDimensions& roles, int dimension);

/// An array of the indices' sizes with the same index vector everywhere, of scalars as its components.
InstructionId index_vector(LocalProgram& program, const GatherDimensions& roles, InstructionId indices,
                           const std::vector<InstructionId>& components);

/// The start of a dynamic slice along each dimension, s32 scalars, out of the operands from `first` on.
std::vector<InstructionId> signed_starts(LocalProgram& program, const OpToPartition& op, std::size_t first);
/// `start` moved back so that `size` elements from there on are inside of `whole`, less the offset of this shard.
InstructionId local_start(LocalProgram& program, InstructionId start, const LocalValue& whole, int dimension,
                          std::int64_t size);
/// pred: 0 <= index < size, of each element of an s32 array.
InstructionId is_within(LocalProgram& program, InstructionId index, std::int64_t size);

std::vector<LocalValue> partition_gather(LocalProgram& program, const OpToPartition& op);
std::vector<LocalValue> partition_scatter(LocalProgram& program, const OpToPartition& op);
std::vector<LocalValue> partition_dynamic_slice(LocalProgram& program, const OpToPartition& op);
std::vector<LocalValue> partition_dynamic_update_slice(LocalProgram& program, const OpToPartition& op);

}  // namespace podsim::sw
