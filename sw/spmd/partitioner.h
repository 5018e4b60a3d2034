// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"
#include "sw/spmd/op_partition.h"
#include "sw/spmd/propagation.h"

namespace podsim::sw {

/// The SPMD program of one partition: module.partitions = mesh.partitions(), parameters and results in local shapes,
/// annotated with their shardings of the whole. Every op is partitioned by partition_op, its results brought into the
/// shardings that `shardings` gives them (lazily: when a user or the root needs them, so that sums of several partial
/// values are reduced once). Loops, branches and calls are partitioned with their bodies. Donations stay.
///
/// Contract: evaluate_partitions(partition(m), shards of the arguments), put together, equals evaluate(m, arguments) to
/// rounding. Time and size do not depend on the number of partitions.
/// InputError naming the instruction for what cannot be partitioned (fusions, send and recv, unknown ops on cut
/// values), and for a program that is one core's already: scheduled, or with collectives of partitions.
Module partition(const Module& module, const Mesh& mesh, const ModuleShardings& shardings,
                 const PartitionOptions& options = {});

/// Shards of a whole value, one for each partition, and the value they make; what lies beyond the array is filled with
/// `beyond` (for tests: garbage). The halves of the contract above.
std::vector<Literal> cut(const Mesh& mesh, const Literal& whole, const ValueSharding& sharding, double beyond = 0);
Literal join(const Mesh& mesh, const Shape& shape, const std::vector<Literal>& shards, const ValueSharding& sharding);

}  // namespace podsim::sw
