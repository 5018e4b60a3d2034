// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "hlo/eval/scalar_function.h"
#include "hlo/graph.h"
#include "hlo/value.h"

/// Effect of collectives on the values of one group of devices. operands[member][k] is operand k of a member, in the
/// order of the group; the results are in the same order.
namespace podsim::hlo::eval {

using MemberOperands = std::vector<std::vector<const Literal*>>;

/// Folds the combiner over the members in their order and rounds once.
std::vector<Value> all_reduce_values(const Instruction& instruction, const MemberOperands& operands,
                                     ScalarFunction& combine);
/// Computes as all_reduce_values; member i keeps part i along the dimension.
std::vector<Value> reduce_scatter_values(const Instruction& instruction, const MemberOperands& operands,
                                         ScalarFunction& combine);
/// Concatenates the members' arrays along the dimension.
std::vector<Value> all_gather_values(const Instruction& instruction, const MemberOperands& operands);
/// Member i receives part i of every member, concatenated along the dimension; in the form with a tuple, operand i of
/// every member.
std::vector<Value> all_to_all_values(const Instruction& instruction, const MemberOperands& operands);
/// The slices of `input` at `from` as a collective-permute writes them into `output` at `to`; offsets are scalars in
/// nested tuples.
Value permuted_in_place(const Instruction& instruction, const Value& input, const Value& output, const Value& from,
                        const Value& to);
/// All members receive the first member's value.
std::vector<Value> broadcast_values(const Instruction& instruction, const MemberOperands& operands);

}  // namespace podsim::hlo::eval
