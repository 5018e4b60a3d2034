// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/graph.h"
#include "hlo/spmd/partition/partition_costs.h"
#include "hlo/spmd/reshard/local_program.h"

namespace podsim::hlo::spmd::partition {

struct PartitionOptions {
  PartitionCosts costs = {};
  /// A dot whose operand must be gathered, or whose result must be scattered, becomes a loop in which a
  /// collective-permute runs concurrently with the product of the current shard (windowed einsum, GSPMD 3.2).
  bool windowed_einsum = false;
  std::int64_t windowed_einsum_bytes = 0;  ///< smallest shard for which that is done
  /// Arrays whose shards follow each other in memory are scattered and gathered as they lie (mesh/tile_split.h), in
  /// groups whose order depends on the array's dimensions; otherwise in one order, for which cores lay them out.
  bool tile_by_tile = false;
};

/// One op to partition.
struct OpToPartition {
  const hlo::Module& module;
  const hlo::Computation& computation;
  hlo::InstructionId id = -1;
  std::vector<reshard::LocalValue> operands;  ///< in any sharding, but not unreduced; tuples flattened
  mesh::ValueSharding wanted;                 ///< shardings for the results; those returned may differ
  const PartitionOptions& options;
  const hlo::Instruction& instruction() const { return computation[id]; }
};

/// Writes an op in its partitioned form: reshards the operands to the shardings that it needs (reshard, halos, masks),
/// computes, and returns its results in the shardings that were cheapest; sums may be unreduced. The result is correct
/// for any op and any shardings, even or uneven; an op that cannot be split runs whole on every partition.
std::vector<reshard::LocalValue> partition_op(reshard::LocalProgram& program, const OpToPartition& op);

/// Why instructions of this opcode have no way of their own and are split by the factors of op_rule; nullptr if they
/// have one. Requires an opcode other than `unknown`.
const char* why_no_own_partition(hlo::Opcode opcode);

/// The ways to partition ops. Each but partition_by_factors returns an empty list if it does not handle the op's split.
///
/// The way of the opcode.
std::vector<reshard::LocalValue> partition_in_own_way(reshard::LocalProgram& program, const OpToPartition& op);
/// Handles every op: it splits the factors of op_rule of kinds parallel and reduction, masks elements beyond the end of
/// an array that a reduction would read, and makes other factors whole.
std::vector<reshard::LocalValue> partition_by_factors(reshard::LocalProgram& program, const OpToPartition& op);
/// pad, slice, concatenate and reverse along split dimensions, by exchange of halos.
std::vector<reshard::LocalValue> partition_shifted(reshard::LocalProgram& program, const OpToPartition& op);
/// dot as a loop of collective-permutes and partial products, if PartitionOptions allow it.
std::vector<reshard::LocalValue> partition_windowed_einsum(reshard::LocalProgram& program, const OpToPartition& op);

}  // namespace podsim::hlo::spmd::partition
