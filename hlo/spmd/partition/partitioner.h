// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "hlo/spmd/partition/op_partition.h"
#include "hlo/spmd/propagate/propagation.h"

namespace podsim::hlo::spmd::partition {

/// Writes the SPMD program of one partition. It has module.partitions = mesh.partitions(); its parameters and results
/// have local shapes and are annotated with their shardings. Every op is partitioned by partition_op and its results
/// are brought into the shardings that `shardings` gives them; a sum of several unreduced values is reduced once, when
/// it is used. Loops, branches and calls are partitioned with their bodies. Donations remain where the local shapes
/// still match.
///
/// Contract: evaluate_partitions(partition(m), shards of the arguments), joined, equals evaluate(m, arguments) up to
/// rounding. Time and size of the result do not depend on the number of partitions.
/// Throws base::InputError naming the instruction if it cannot be partitioned (fusions, send and recv, unknown ops on
/// sharded values), or if the program is already that of one core: scheduled, or with collectives among partitions.
hlo::Module partition(const hlo::Module& module, const mesh::Mesh& mesh, const propagate::ModuleShardings& shardings,
                      const partition::PartitionOptions& options = {});

/// Splits a value into one shard for each partition, and joins shards to the value, as in the contract above. Elements
/// of a shard beyond the end of the array are filled with `beyond`, so that tests can put garbage there.
std::vector<hlo::Literal> split_into_shards(const mesh::Mesh& mesh, const hlo::Literal& whole,
                                            const mesh::ValueSharding& sharding, double beyond = 0);
hlo::Literal join(const mesh::Mesh& mesh, const hlo::Shape& shape, const std::vector<hlo::Literal>& shards,
                  const mesh::ValueSharding& sharding);

}  // namespace podsim::hlo::spmd::partition
