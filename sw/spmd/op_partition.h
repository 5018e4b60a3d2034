// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/graph/graph.h"
#include "sw/spmd/local_program.h"

namespace podsim::sw {

struct PartitionOptions {
  /// Dots whose operand must be gathered, or whose result scattered, run as loops in which a collective-permute goes on
  /// beside the product of the shard at hand (windowed einsum, GSPMD 3.2), where the shard has at least as many bytes.
  bool windowed_einsum = false;
  std::int64_t windowed_einsum_bytes = 0;
};

/// One op to partition.
struct OpToPartition {
  const Module& module;
  const Computation& computation;
  InstructionId id = -1;
  std::vector<LocalValue> operands;  ///< as they are, of any sharding; nothing unreduced; tuples flattened
  ValueSharding wanted;              ///< of the results; what comes back may differ
  const PartitionOptions& options;
  const Instruction& instruction() const { return computation[id]; }
};

/// Writes the op in its partitioned form: brings operands into the shardings it needs (reshard, halos, masks),
/// computes, and returns its results, of whatever sharding came cheapest; sums may be left unreduced. Any op is correct
/// for any shardings, even or uneven; ops that cannot be cut run whole on every partition.
std::vector<LocalValue> partition_op(LocalProgram& program, const OpToPartition& op);

/// Families, called by partition_op. Each returns nothing where the op or its cut is none of its own; the next is
/// asked, and the last one, partition_by_factors, takes everything: it cuts the factors of op_rule of kinds parallel
/// and reduction (masking what a reduction must not see) and makes the rest whole.
std::vector<LocalValue> partition_by_factors(LocalProgram& program, const OpToPartition& op);
/// convolution, reduce-window, select-and-scatter cut along spatial dimensions, by exchange of halos.
std::vector<LocalValue> partition_windows(LocalProgram& program, const OpToPartition& op);
/// pad, slice, concatenate, reverse along cut dimensions, by exchange of halos.
std::vector<LocalValue> partition_shifted(LocalProgram& program, const OpToPartition& op);
/// gather and scatter with an operand cut along indexed dimensions (each partition looks up what it holds, the sum
/// joins them); dynamic-slice and dynamic-update-slice along cut dimensions.
std::vector<LocalValue> partition_indexed(LocalProgram& program, const OpToPartition& op);
/// iota, rng, rng-bit-generator, sort, topk, batch norms, reshape onto other borders, cumulative reduce-windows: what
/// needs the position of a shard or another dimension made whole.
std::vector<LocalValue> partition_special(LocalProgram& program, const OpToPartition& op);
/// dot as a loop of collective-permutes and partial products.
std::vector<LocalValue> partition_windowed_einsum(LocalProgram& program, const OpToPartition& op);

}  // namespace podsim::sw
