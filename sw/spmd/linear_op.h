// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/spmd/op_partition.h"

/// Sums that are not added up yet: partitions have addends along sub-axes (LocalValue::unreduced). A sum of such sums
/// can be added up once.
namespace podsim::sw {

/// Whether addends may be the operand of an op before they are added up: add, subtract, negate, copy, transpose and
/// reshape of addends, and their product with or quotient by what is no sum.
bool is_linear(Opcode opcode);

/// Such an op on addends (op.operands may be unreduced), whose result are addends again. Nothing where the operands are
/// no addends of the same sub-axes in the same shardings, or where a factor would have to move.
std::optional<LocalValue> partition_linear(LocalProgram& program, const OpToPartition& op);

/// The sum of sums that a value is for, if that is all it is for: an add or subtract that its only user is, or the only
/// user of a linear op of it, and so on.
struct SumOfSums {
  InstructionId sum = -1;
  InstructionId other = -1;  ///< the other operand
};
std::optional<SumOfSums> sum_of_sums(const Computation& computation,
                                     const std::vector<std::vector<InstructionId>>& users, InstructionId id);

/// Whether a value that is still to be computed looks like one that will be left to add up: a dot, convolution or
/// reduce, or a linear op of one.
bool looks_like_sum(const Computation& computation, InstructionId id);

}  // namespace podsim::sw
