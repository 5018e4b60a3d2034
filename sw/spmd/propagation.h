// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sw/graph/graph.h"
#include "sw/spmd/axis_sharding.h"

namespace podsim::sw {

/// Where the cuts of a dimension of an array, or that it is manual, come from.
struct ShardingReason {
  enum class Kind : std::uint8_t {
    none,        ///< nothing reached it: it is whole
    annotation,  ///< `from` is annotated: the value itself, or one that always agrees with it (a loop's parameter)
    operand,     ///< taken from an operand
    user,        ///< taken from the result of a user
    beside,      ///< taken from another operand of `op`
    agreement,   ///< taken from what a caller passes in, or from the parameter that takes over the memory
  };
  Kind kind = Kind::none;
  std::uint8_t round = 0;
  ComputationId computation = -1;  ///< where `from` is
  InstructionId from = -1;
  int array = 0, dimension = 0;  ///< of `from`
  InstructionId op = -1;         ///< in the computation of `from`
  bool operator==(const ShardingReason&) const = default;
};

/// Of every dimension of an array, when it was cut last; of a manual array the only one.
using ArrayReasons = std::vector<ShardingReason>;

/// The sharding of every value of the executed computations; empty lists for the others.
struct ModuleShardings {
  std::vector<std::vector<ValueSharding>> values;               ///< [computation][instruction]
  std::vector<std::vector<std::vector<ArrayReasons>>> reasons;  ///< [computation][instruction][array]
};

/// From the annotations (Instruction::sharding, over `mesh`) to every value, forward and backward, until nothing
/// changes, after GSPMD (Xu et al. 2021, section 3.5). A dimension is cut only by sub-axes that no dimension of the
/// same value uses yet, into no more shards than it has elements; what a value has is only ever refined, by appending
/// minor sub-axes where what is there is a prefix. So the order decides conflicts:
///
///   round 0  ops that keep every dimension: elementwise, transpose, reshape, tuples; donated outputs and parameters
///   round 1  factors of kind parallel of all ops; of broadcasts of real numbers only from the result to the operand
///   round 2  factors of kind reduction, from operand to operand
///   round 3  factors of kinds shifted and special, broadcasts of real numbers from the operand on
///
/// A round goes on until nothing changes, with those before it: forward, operands before users in program order, then
/// backward. Of several values beside each other the largest is asked first, but the indices of a gather before the
/// table.
///
/// What is broadcast from a scalar follows others, and nothing follows it: its users may be strangers to each other
/// that share it, and a partition writes it in whatever sharding it is read.
///
/// Annotated values do not change. `custom-call` "Sharding" is an annotation of its result. A while's result,
/// parameters and root have one sharding, so have a conditional's or call's result and roots; what is passed in takes
/// part but may differ.
///
/// Values are manual where an annotation says so. Then an op with a manual operand is manual, but for all-reduce and
/// all-gather over all partitions, whose result is the same everywhere, and for SPMDShardToFullShape;
/// SPMDFullToShardShape, partition-id and replica-id are manual. Tokens never are.
///
/// InputError with the instruction's name where an annotation does not fit the mesh or the rank.
ModuleShardings propagate(const Module& module, const Mesh& mesh);

/// For people: a line for each value of the entry that matches `pattern` (a glob on name or op_name): its shape,
/// sharding, shard shape, and for every dimension that is cut the chain of values it was taken from, up to the
/// annotation. InputError where nothing matches.
std::string explain(const Module& module, const Mesh& mesh, const ModuleShardings& shardings, std::string_view pattern);

}  // namespace podsim::sw
