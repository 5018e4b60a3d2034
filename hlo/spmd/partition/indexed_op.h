// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/spmd/partition/factor_split.h"

/// gather and scatter whose operand is split along indexed dimensions (for a gather, each partition looks up the rows
/// that it holds and a sum joins them); dynamic-slice and dynamic-update-slice along split dimensions. Each returns an
/// empty list if no indexed dimension is split.
namespace podsim::hlo::spmd::partition {

/// Converts indices of any integer type to s32, so that a shard's offset can be subtracted from them. Values that s32
/// does not hold become -1 or its largest value, which are out of bounds as well.
hlo::InstructionId signed_indices(build::GraphBuilder& builder, hlo::InstructionId indices);

/// The combiner for partial results of which one holds the value and the others hold zeros.
hlo::Opcode selecting_combiner(hlo::ElementType type);

/// The component of the index vectors that indexes `dimension` of the operand; nullopt if none does.
std::optional<std::size_t> index_component(const hlo::GatherDimensions& roles, int dimension);

/// An array with the sizes of `indices` that holds the same index vector everywhere; `components` are scalars.
hlo::InstructionId index_vector(reshard::LocalProgram& program, const hlo::GatherDimensions& roles,
                                hlo::InstructionId indices, const std::vector<hlo::InstructionId>& components);

/// The start of a dynamic slice along each dimension, as s32 scalars. The operands from number `first` hold them.
std::vector<hlo::InstructionId> signed_starts(reshard::LocalProgram& program, const partition::OpToPartition& op,
                                              std::size_t first);
/// `start`, clamped so that `size` elements from there are inside `whole`, minus the offset of this shard.
hlo::InstructionId local_start(reshard::LocalProgram& program, hlo::InstructionId start,
                               const reshard::LocalValue& whole, int dimension, std::int64_t size);
/// For each element of an s32 array, a pred: 0 <= index < size.
hlo::InstructionId is_within(reshard::LocalProgram& program, hlo::InstructionId index, std::int64_t size);

std::vector<reshard::LocalValue> partition_gather(reshard::LocalProgram& program, const partition::OpToPartition& op);
std::vector<reshard::LocalValue> partition_scatter(reshard::LocalProgram& program, const partition::OpToPartition& op);
std::vector<reshard::LocalValue> partition_dynamic_slice(reshard::LocalProgram& program,
                                                         const partition::OpToPartition& op);
std::vector<reshard::LocalValue> partition_dynamic_update_slice(reshard::LocalProgram& program,
                                                                const partition::OpToPartition& op);

}  // namespace podsim::hlo::spmd::partition
