// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "sw/spmd/local_program.h"
#include "sw/spmd/op_partition.h"
#include "sw/spmd/op_rule.h"

/// The cut of one op: which sub-axes of the mesh cut each factor of its rule. Every array that has a factor is cut
/// along it in the same way, so an op's cut says what shardings its operands must come in and what its results have.
namespace podsim::sw {

/// For each factor of a rule the sub-axes that cut it. No sub-axis appears twice.
using FactorCuts = std::vector<SubAxes>;

/// How an array that consists of these factors is cut.
AxisSharding sharding_under(const OpRule::Array& array, const FactorCuts& cuts);

/// The sub-axes that cut factors of kind reduction, in rising order: the results are addends along them.
SubAxes reduced_sub_axes(const OpRule& rule, const FactorCuts& cuts);

/// The cheapest cut of the factors that `cuttable` names (one flag for each), among those that operands and wanted
/// results have already, or what of it another factor leaves: by bytes to bring the operands in, bytes to bring the
/// results from there to what is wanted, and the work that each partition is left with, in bytes that a link moves
/// meanwhile.
///
/// A factor that shares a dimension with others is cut only where its shards divide and all factors major to it are cut
/// to single elements, since a sharding's shards are contiguous. Every array of the rule keeps to that.
FactorCuts choose_cuts(const Mesh& mesh, const OpRule& rule, const OpToPartition& op,
                       const std::vector<bool>& cuttable);

/// One flag for each factor: whether it is of one of these kinds.
std::vector<bool> factors_of_kind(const OpRule& rule, std::initializer_list<Factor::Kind> kinds);
/// Whether some factor of the kind is cut.
bool is_cut(const OpRule& rule, const FactorCuts& cuts, Factor::Kind kind);

/// The sub-axes that cut dimension d of an array, where it is one factor of this kind; empty otherwise.
SubAxes cut_along(const OpRule& rule, const FactorCuts& cuts, const OpRule::Array& array, int dimension,
                  Factor::Kind kind);

/// An operand of these factors, resharded to `cuts`, but that those of the dimensions `windowed` stay whole of which
/// every partition has all already.
LocalValue cut_operand(LocalProgram& program, const FactorCuts& cuts, const OpRule::Array& array,
                       const LocalValue& operand, std::span<const int> windowed = {});

/// `value` with `fill` (scalar) for what lies beyond the array along dimensions of cut reduction factors.
LocalValue masked_for_reduction(LocalProgram& program, const OpRule& rule, const FactorCuts& cuts,
                                const OpRule::Array& array, const LocalValue& value, InstructionId fill);

/// An instruction's opcode, attributes and place in the model, for its local form: no name, operands or annotation.
/// Called computations are still those of its module.
Instruction attributes_of(const Instruction& instruction);

/// Result array k of an op under `cuts`.
LocalValue cut_result(const OpRule& rule, const FactorCuts& cuts, std::size_t k, InstructionId id, const Shape& shape,
                      Opcode combiner = Opcode::add);

}  // namespace podsim::sw
