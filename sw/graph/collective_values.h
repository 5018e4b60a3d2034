// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "sw/graph/graph.h"
#include "sw/graph/scalar_function.h"
#include "sw/graph/value.h"

/// What collectives do to the values of one group of devices. operands[member][k] is operand k of a member, in the
/// order of the group; the results are in that order, too.
namespace podsim::sw {

using MemberOperands = std::vector<std::vector<const Literal*>>;

/// The combiner folded over the members in their order, rounded once.
std::vector<Value> all_reduce_values(const Instruction& instruction, const MemberOperands& operands,
                                     ScalarFunction& combine);
/// As all-reduce; member i keeps part i along the dimension.
std::vector<Value> reduce_scatter_values(const Instruction& instruction, const MemberOperands& operands,
                                         ScalarFunction& combine);
/// The members' arrays one after another along the dimension.
std::vector<Value> all_gather_values(const Instruction& instruction, const MemberOperands& operands);
/// Part i of every member goes to member i, one after another along the dimension; in the form with a tuple operand i.
std::vector<Value> all_to_all_values(const Instruction& instruction, const MemberOperands& operands);
/// The first member's value for all.
std::vector<Value> broadcast_values(const Instruction& instruction, const MemberOperands& operands);

}  // namespace podsim::sw
