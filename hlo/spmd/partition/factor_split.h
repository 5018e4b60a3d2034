// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "hlo/spmd/partition/op_partition.h"
#include "hlo/spmd/propagate/op_rule.h"
#include "hlo/spmd/reshard/local_program.h"

/// The split of one op: the sub-axes of the mesh that each factor of its rule is split over. Every array that has a
/// factor is split along it in the same manner, so the split determines the shardings that the operands must have and
/// those of the results.
namespace podsim::hlo::spmd::partition {

/// For each factor of a rule, the sub-axes that it is split over. No sub-axis appears twice.
using FactorSplit = std::vector<mesh::SubAxes>;

/// The sharding of an array that consists of these factors.
mesh::AxisSharding sharding_under(const propagate::OpRule::Array& array, const FactorSplit& split);

/// The sub-axes that factors of kind reduction are split over, in ascending order: the results are addends along them.
mesh::SubAxes reduced_sub_axes(const propagate::OpRule& rule, const FactorSplit& split);

/// Chooses the split of an op by a greedy search for the lowest cost. The candidates for the factors that `splittable`
/// allows (one flag for each factor) are the sub-axes over which operands and wanted results are split already, and
/// the remainder if another factor takes some of them. The cost is in bytes over a link: bytes to reshard the operands,
/// bytes to reshard the results to the wanted shardings, and the work of one partition, as the bytes that a link moves
/// in the same time.
///
/// A factor that shares a dimension with others is split only if it divides evenly and all factors major to it are
/// split to single elements, since a shard is contiguous in its array. This holds for every array of the rule.
FactorSplit choose_split(const mesh::Mesh& mesh, const propagate::OpRule& rule, const partition::OpToPartition& op,
                         const std::vector<bool>& splittable);

/// One flag for each factor: true if it is of one of these kinds.
std::vector<bool> factors_of_kind(const propagate::OpRule& rule, std::initializer_list<propagate::Factor::Kind> kinds);
/// True if any factor of this kind is split.
bool is_split(const propagate::OpRule& rule, const FactorSplit& split, propagate::Factor::Kind kind);

/// The sub-axes that `dimension` of an array is split over, if it is a single factor of this kind; empty otherwise.
mesh::SubAxes split_along(const propagate::OpRule& rule, const FactorSplit& split,
                          const propagate::OpRule::Array& array, int dimension, propagate::Factor::Kind kind);

/// Reshards an operand with these factors to its sharding under `split`. A dimension in `windowed` that is not split
/// yet is left whole, since a window can be taken from it without communication, unless its sub-axes are those of
/// another dimension of the operand.
reshard::LocalValue sharded_operand(reshard::LocalProgram& program, const FactorSplit& split,
                                    const propagate::OpRule::Array& array, const reshard::LocalValue& operand,
                                    std::span<const int> windowed = {});

/// Replaces elements of `value` beyond the end of the array by the scalar `fill`, along the dimensions that are split
/// reduction factors.
reshard::LocalValue masked_for_reduction(reshard::LocalProgram& program, const propagate::OpRule& rule,
                                         const FactorSplit& split, const propagate::OpRule::Array& array,
                                         const reshard::LocalValue& value, hlo::InstructionId fill);

/// A copy of an instruction without name, operands and annotation, from which its local form is made. Its called
/// computations are still those of its module.
hlo::Instruction attributes_of(const hlo::Instruction& instruction);

/// Result array `k` of an op under `split`, held in `id`.
reshard::LocalValue sharded_result(const propagate::OpRule& rule, const FactorSplit& split, std::size_t k,
                                   hlo::InstructionId id, const hlo::Shape& shape,
                                   hlo::Opcode combiner = hlo::Opcode::add);

}  // namespace podsim::hlo::spmd::partition
