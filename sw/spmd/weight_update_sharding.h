// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/units.h"
#include "sw/graph/graph.h"
#include "sw/spmd/axis_sharding.h"

/// Weight-update sharding (Xu et al., "Automatic Cross-Replica Sharding of Weight Update in Data-Parallel Training",
/// 2020). Where replicas of a data-parallel program hold copies of weights, each of them updates a shard: the gradient
/// is reduce-scattered instead of all-reduced, the optimizer runs on shards, and the new weights are gathered where the
/// network reads them, in the type in which it does. Weights and slot variables (momenta and the like) stay cut from
/// step to step. A step that is rematerialised as well (rematerialize.h) is annotated first: weights are then gathered
/// once for both ways.
namespace podsim::sw {

/// How an array that is cut as `present` is cut further along those of `over` that do not cut it yet, one after the
/// other. A sub-axis cuts the first dimension that it divides, else the first, where the last shard is shorter; from
/// the first on, so that a shard is a row of elements of the array, which one reduce-scatter or all-gather brings
/// together without moving them within a core. A sub-axis that would not save at least 1/1.25 of what it could, as
/// arrays lie in memory, leaves copies.
AxisSharding cut_for_update(const Mesh& mesh, const Shape& shape, const AxisSharding& present, const SubAxes& over);

/// Memory of the parameters that are replaced in place, per partition, and of all of them if nothing were cut further.
struct UpdateMemory {
  base::Bytes whole, cut;
};

struct UpdateSharding {
  Module module;
  UpdateMemory memory;
};

/// Annotates a training step before it is propagated and partitioned. `donations` say which parameters are trained
/// tensors and slot variables (arrays) and which results replace them: both get cut_for_update's sharding. `present`
/// are the shardings of the entry's values without this (propagation.h). A trained tensor that results other than
/// replaced ones depend on through some reader, such as the loss through the network, is given to that reader in its
/// present sharding behind a custom call "Sharding"; a conversion to a narrower type comes before.
UpdateSharding shard_weight_update(Module module, const Mesh& mesh, const SubAxes& over,
                                   std::span<const Donation> donations, std::span<const ValueSharding> present,
                                   base::Bytes least = base::Bytes(64 << 10));

/// Likewise, along all axes of the mesh, beside the shardings that follow from the module's own annotations.
UpdateSharding shard_weight_update(Module module, const Mesh& mesh, std::span<const Donation> donations);

/// Marks what infeeds give as manual: in the program of one core every partition feeds in a batch of its own.
void make_infeeds_manual(Module& module);

}  // namespace podsim::sw
