// SPDX-License-Identifier: Apache-2.0
#pragma once

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
/// results have already: by bytes to bring the operands in, bytes to bring the results from there to what is wanted,
/// and the work that each partition is left with, in bytes that a link moves meanwhile.
///
/// A factor that shares a dimension with others is cut only where its shards divide and all factors major to it are cut
/// to single elements, since a sharding's shards are contiguous. Every array of the rule keeps to that.
FactorCuts choose_cuts(const Mesh& mesh, const OpRule& rule, const OpToPartition& op,
                       const std::vector<bool>& cuttable);

/// The operands resharded to `cuts`.
std::vector<LocalValue> cut_operands(LocalProgram& program, const OpRule& rule, const FactorCuts& cuts,
                                     const std::vector<LocalValue>& operands);

}  // namespace podsim::sw
