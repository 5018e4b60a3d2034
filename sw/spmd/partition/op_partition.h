// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/ir/graph.h"
#include "sw/spmd/partition/partition_costs.h"
#include "sw/spmd/reshard/local_program.h"

namespace podsim::sw::spmd::partition {

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
  const ir::Module& module;
  const ir::Computation& computation;
  ir::InstructionId id = -1;
  std::vector<reshard::LocalValue> operands;  ///< in any sharding, but not unreduced; tuples flattened
  mesh::ValueSharding wanted;                 ///< shardings for the results; those returned may differ
  const PartitionOptions& options;
  const ir::Instruction& instruction() const { return computation[id]; }
};

/// Writes an op in its partitioned form: brings the operands into the shardings that it needs (reshard, halos, masks),
/// computes, and returns its results in the shardings that were cheapest; sums may be unreduced. The result is correct
/// for any op and any shardings, even or uneven; an op that cannot be split runs whole on every partition.
std::vector<reshard::LocalValue> partition_op(reshard::LocalProgram& program, const OpToPartition& op);

/// The op families, which partition_op tries in turn. Each returns an empty list if it does not handle the op or its
/// split. The last one, partition_by_factors, handles every op: it splits the factors of op_rule of kinds parallel and
/// reduction, masks elements beyond the end of an array that a reduction would read, and makes other factors whole.
std::vector<reshard::LocalValue> partition_by_factors(reshard::LocalProgram& program, const OpToPartition& op);
/// convolution, reduce-window and select-and-scatter split along spatial dimensions, by exchange of halos.
std::vector<reshard::LocalValue> partition_windows(reshard::LocalProgram& program, const OpToPartition& op);
/// pad, slice, concatenate and reverse along split dimensions, by exchange of halos.
std::vector<reshard::LocalValue> partition_shifted(reshard::LocalProgram& program, const OpToPartition& op);
/// gather and scatter whose operand is split along indexed dimensions (for a gather, each partition looks up the rows
/// that it holds and a sum joins them); dynamic-slice and dynamic-update-slice along split dimensions.
std::vector<reshard::LocalValue> partition_indexed(reshard::LocalProgram& program, const OpToPartition& op);
/// iota, rng, batch norms (training and gradient) and cumulative reduce-windows, which need the position of a shard or
/// sums over shards.
std::vector<reshard::LocalValue> partition_special(reshard::LocalProgram& program, const OpToPartition& op);
/// dot as a loop of collective-permutes and partial products, if PartitionOptions allow it.
std::vector<reshard::LocalValue> partition_windowed_einsum(reshard::LocalProgram& program, const OpToPartition& op);

}  // namespace podsim::sw::spmd::partition
