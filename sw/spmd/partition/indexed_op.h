// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/spmd/partition/factor_split.h"

/// The ops of partition_indexed. Each returns an empty list if no indexed dimension is split.
namespace podsim::sw::spmd::partition {

/// Converts indices of any integer type to s32, so that a shard's offset can be subtracted from them. Values that s32
/// does not hold become -1 or its largest value, which are out of bounds as well.
ir::InstructionId signed_indices(ir::build::GraphBuilder& builder, ir::InstructionId indices);

/// The combiner for partial results of which one holds the value and the others hold zeros.
ir::Opcode selecting_combiner(ir::ElementType type);

/// The component of the index vectors that indexes `dimension` of the operand; nullopt if none does.
std::optional<std::size_t> index_component(const ir::GatherDimensions& roles, int dimension);

/// An array with the sizes of `indices` that holds the same index vector everywhere; `components` are scalars.
ir::InstructionId index_vector(reshard::LocalProgram& program, const ir::GatherDimensions& roles,
                               ir::InstructionId indices, const std::vector<ir::InstructionId>& components);

/// The start of a dynamic slice along each dimension, as s32 scalars. The operands from number `first` hold them.
std::vector<ir::InstructionId> signed_starts(reshard::LocalProgram& program, const partition::OpToPartition& op,
                                             std::size_t first);
/// `start`, clamped so that `size` elements from there are inside `whole`, minus the offset of this shard.
ir::InstructionId local_start(reshard::LocalProgram& program, ir::InstructionId start, const reshard::LocalValue& whole,
                              int dimension, std::int64_t size);
/// For each element of an s32 array, a pred: 0 <= index < size.
ir::InstructionId is_within(reshard::LocalProgram& program, ir::InstructionId index, std::int64_t size);

std::vector<reshard::LocalValue> partition_gather(reshard::LocalProgram& program, const partition::OpToPartition& op);
std::vector<reshard::LocalValue> partition_scatter(reshard::LocalProgram& program, const partition::OpToPartition& op);
std::vector<reshard::LocalValue> partition_dynamic_slice(reshard::LocalProgram& program,
                                                         const partition::OpToPartition& op);
std::vector<reshard::LocalValue> partition_dynamic_update_slice(reshard::LocalProgram& program,
                                                                const partition::OpToPartition& op);

}  // namespace podsim::sw::spmd::partition
