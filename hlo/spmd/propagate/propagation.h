// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/graph.h"
#include "hlo/spmd/mesh/axis_sharding.h"

namespace podsim::hlo::spmd::propagate {

/// The reason why a dimension of an array is split, or why the array is manual.
struct ShardingReason {
  enum class Kind : std::uint8_t {
    none,        ///< no sharding reached it: it is whole
    annotation,  ///< `from` is annotated: the value itself, or one that always agrees with it (a loop's parameter)
    operand,     ///< taken from an operand
    user,        ///< taken from the result of a user
    beside,      ///< taken from another operand of `op`
    agreement,   ///< taken from what a caller passes in, or from the parameter that takes over the memory
  };
  Kind kind = Kind::none;
  std::uint8_t round = 0;
  hlo::ComputationId computation = -1;  ///< where `from` is
  hlo::InstructionId from = -1;
  int array = 0, dimension = 0;  ///< of `from`
  hlo::InstructionId op = -1;    ///< in the computation of `from`
  bool operator==(const ShardingReason&) const = default;
};

/// For every dimension of an array, the reason of its last change; for a manual array, its only reason.
using ArrayReasons = std::vector<ShardingReason>;

/// The sharding of every value of the executed computations; empty lists for the others.
struct ModuleShardings {
  std::vector<std::vector<mesh::ValueSharding>> values;         ///< [computation][instruction]
  std::vector<std::vector<std::vector<ArrayReasons>>> reasons;  ///< [computation][instruction][array]
};

/// Propagates shardings from the annotations (Instruction::sharding, over `mesh`) to every value, forward and backward,
/// until nothing changes, after GSPMD (Xu et al. 2021, section 3.5). A dimension is split only over sub-axes that no
/// dimension of the same value uses yet, into no more shards than it has elements. The sharding of a value is only
/// refined: minor sub-axes are appended if the present ones are a prefix. The order therefore decides conflicts:
///
///   round 0  ops that keep every dimension: elementwise, transpose, reshape, broadcasts that add dimensions of size 1,
///            tuples; donated outputs and parameters; dynamic-slices and dynamic-update-slices from operands to results
///   round 1  factors of kind parallel of all ops; floating-point broadcasts only from the result to the operand
///   round 2  factors of kind reduction, from operand to operand
///   round 3  factors of kinds shifted and special; floating-point broadcasts also from the operand to the result
///
/// A round includes those before it and repeats until nothing changes: forward, operands before users in program order,
/// then backward. An array is refined from the largest array of an op first, but from the indices of a gather before
/// the table.
///
/// The broadcast of a scalar takes the shardings of other values and passes none on: its users may be unrelated and
/// only share it, and a partition writes it in whatever sharding it is read.
///
/// Annotated values do not change. A custom-call "Sharding" is an annotation of its result. A while's result,
/// parameters and root have one sharding, that of the caller where both are annotated; and so do the result and the
/// roots of a conditional or call, unless they are annotated apart. Values passed in propagate to parameters, and back,
/// but may differ from them.
///
/// Values are manual if an annotation makes them so. An op with a manual operand is then manual, except for all-reduce
/// and all-gather over all partitions, whose result is the same in every partition, and for SPMDShardToFullShape.
/// SPMDFullToShardShape, partition-id and replica-id are manual. HLO tokens never are.
///
/// Throws base::InputError with the instruction's name if an annotation does not fit the mesh or the rank.
ModuleShardings propagate(const hlo::Module& module, const mesh::Mesh& mesh);

/// Human-readable text with a line for each value of the entry that matches `pattern` (a glob on name or op_name): its
/// shape, sharding and shard shape, followed by a line for every split dimension with the chain of values from which
/// its sharding was taken, up to the annotation. Throws base::InputError if nothing matches.
std::string explain(const hlo::Module& module, const mesh::Mesh& mesh, const ModuleShardings& shardings,
                    std::string_view pattern);

}  // namespace podsim::hlo::spmd::propagate
