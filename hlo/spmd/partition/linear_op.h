// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hlo/spmd/partition/op_partition.h"

/// Ops on sums that are not reduced yet, of which partitions hold addends along sub-axes (LocalValue::unreduced). A sum
/// of such sums can be reduced once.
namespace podsim::hlo::spmd::partition {

/// True if an op may take addends as its operands before they are reduced: add, subtract, negate, copy, transpose and
/// reshape of addends, a conversion to wider elements, a barrier of one array, and their product with or quotient by a
/// value that is reduced. Sums over the parts of an accumulated batch are such chains, so that a gradient is reduced
/// once, after the last part.
bool is_linear(const hlo::Computation& computation, const hlo::Instruction& instruction);

/// Writes such an op on addends (op.operands may be unreduced); its result is unreduced as well. nullopt if the op has
/// no unreduced operand, if operands that must be addends are not unreduced along the same sub-axes in the same
/// sharding, or if the other operand of a product would need communication.
std::optional<reshard::LocalValue> partition_linear(reshard::LocalProgram& program, const partition::OpToPartition& op);

/// The sum of sums that a value is used for, if it has no other use: an add or subtract that is its only user, or that
/// is reached from it through linear ops that are each the only user.
struct SumOfSums {
  hlo::InstructionId sum = -1;
  hlo::InstructionId other = -1;  ///< the other operand
};
std::optional<SumOfSums> sum_of_sums(const hlo::Computation& computation,
                                     const std::vector<std::vector<hlo::InstructionId>>& users, hlo::InstructionId id);

/// True if a value that is not written yet is likely to be unreduced: it is a dot, convolution, reduce or scatter,
/// or a linear op of one.
bool looks_like_sum(const hlo::Computation& computation, hlo::InstructionId id);

}  // namespace podsim::hlo::spmd::partition
