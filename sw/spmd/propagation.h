// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/graph/graph.h"
#include "sw/spmd/axis_sharding.h"

namespace podsim::sw {

/// Where a value's sharding comes from.
struct ShardingReason {
  enum class Kind : std::uint8_t { none, annotation, operand, user };
  Kind kind = Kind::none;   ///< none: nothing reached it; it is replicated
  InstructionId from = -1;  ///< operand or user that it was taken from (of the same computation; -1: caller or body)
  int round = 0;
};

/// The sharding of every value of the executed computations; empty lists for the others.
struct ModuleShardings {
  std::vector<std::vector<ValueSharding>> values;    ///< [computation][instruction]
  std::vector<std::vector<ShardingReason>> reasons;  ///< [computation][instruction]
};

/// From the annotations (Instruction::sharding, over `mesh`) to every value, forward and backward, until nothing
/// changes. A dimension is cut only by sub-axes that no dimension of the same value uses yet; what a value has is only
/// ever refined, by appending minor sub-axes, so the order of rounds decides conflicts: elementwise ops first, then ops
/// with parallel factors, then reductions, then shifted ones; within a round operands before users in program order; a
/// larger value wins over a smaller one. Annotated values do not change. `custom-call` "Sharding" is an annotation of
/// its result. Loops, branches and calls: initial values, parameters, roots and results of the same element agree.
/// Values that infeed gives, and what is computed from them, are manual where an annotation says so; an op with a
/// manual operand is manual, but for collectives over all partitions, whose result is the same everywhere.
///
/// InputError with the instruction's name where an annotation does not fit the mesh or the rank.
ModuleShardings propagate(const Module& module, const Mesh& mesh);

/// For people: a line for each value of the entry that matches `pattern` (a glob on name or op_name): its shape,
/// sharding, shard shape, and the chain of values it was taken from, up to the annotation.
std::string explain(const Module& module, const Mesh& mesh, const ModuleShardings& shardings, std::string_view pattern);

}  // namespace podsim::sw
