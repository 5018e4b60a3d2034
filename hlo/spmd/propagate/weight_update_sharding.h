// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"
#include "hlo/graph.h"
#include "hlo/spmd/mesh/axis_sharding.h"

/// Weight-update sharding (Xu et al., "Automatic Cross-Replica Sharding of Weight Update in Data-Parallel Training",
/// 2020). If replicas of a data-parallel program hold copies of weights, each of them updates a shard: the gradient is
/// reduce-scattered instead of all-reduced, the optimizer runs on shards, and the new weights are gathered where the
/// network reads them, in the type in which it reads them. Weights and slot variables (momenta and the like) remain
/// sharded from step to step. A step that is also rematerialised (rematerialize.h) must be annotated first, so that
/// weights are gathered once for the forward and the backward pass.
namespace podsim::hlo::spmd::propagate {

/// The sharding of an array with sharding `present` that is split further over those sub-axes of `over` that it does
/// not use yet, into rows of elements. The free sub-axes of one mesh axis are tried together, if that leaves rows of
/// elements, then one by one. They split the first dimension that they divide evenly, else the first one, whose last
/// shard is then shorter. No dimension is split after another one unless that one precedes it and is split to single
/// elements (splits of `present` do not count): a shard is then a row of what replicas hold, which one reduce-scatter
/// or all-gather handles. Arrays that are split over all sub-axes have their gradients in one group of collectives,
/// along all links at once; so a split is made as far as it goes, down to single elements, unless the shards together
/// would have room for more than 1.25 times the elements or a shard would take more memory, with padding, than before.
mesh::AxisSharding shard_for_update(const mesh::Mesh& mesh, const hlo::Shape& shape, const mesh::AxisSharding& present,
                                    const mesh::SubAxes& over);

/// Memory per partition of the parameters that are replaced in place, in the orders of dimensions that pad them least:
/// `whole` without the update sharding, `sharded` with it.
struct UpdateMemory {
  base::Bytes whole, sharded;
};

/// How many trained tensors and slot variables have each kind of shard.
struct UpdateShards {
  std::int64_t of_tiles = 0;  ///< tiles that follow each other in memory
  std::int64_t of_rows = 0;   ///< rows of elements, along one dimension or more
  std::int64_t whole = 0;     ///< too small, or without a dimension to split
};

struct UpdateSharding {
  hlo::Module module;
  UpdateMemory memory;
  UpdateShards shards;
  bool tile_by_tile = false;  ///< some shards follow each other in memory (PartitionOptions::tile_by_tile)
};

/// Annotates a training step before it is propagated and partitioned. `donations` name the parameters that are trained
/// tensors and slot variables (arrays) and the results that replace them: both get the sharding of the update, unless
/// they have fewer than `least` bytes per partition, without padding. `present` are the shardings of the entry's values
/// without this (propagation.h). A reader of a trained tensor on which other results depend than those of the tensor's
/// update, such as the loss through the network, gets the tensor in its present sharding from a custom call "Sharding";
/// a conversion to a narrower type comes before that call.
///
/// Shards follow each other in memory where they can (mesh/tile_split.h). Gradients and weights are then scattered and
/// gathered as they lie, as with the flattened and padded buffers of the paper. The cores take such shards in an order
/// that depends on an array's dimensions, and arrays of different orders cannot share a collective; so this is done
/// for orders in which the gradients, in 16 bits, have at least `combined` bytes, a combined collective. Other arrays
/// get shard_for_update's rows, which a core lays out before and after the collectives.
UpdateSharding shard_weight_update(hlo::Module module, const mesh::Mesh& mesh, const mesh::SubAxes& over,
                                   std::span<const hlo::Donation> donations,
                                   std::span<const mesh::ValueSharding> present, base::Bytes combined,
                                   base::Bytes least = base::Bytes(64 << 10));

/// As above, over all axes of the mesh, with `combined` of 0 and the shardings that follow from the module's own
/// annotations as `present`.
UpdateSharding shard_weight_update(hlo::Module module, const mesh::Mesh& mesh,
                                   std::span<const hlo::Donation> donations);

/// Marks the results of infeeds as manual: in the program of one core, every partition reads a separate batch.
void make_infeeds_manual(hlo::Module& module);

}  // namespace podsim::hlo::spmd::propagate
