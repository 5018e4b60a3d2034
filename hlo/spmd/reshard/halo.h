// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/spmd/reshard/local_program.h"

namespace podsim::hlo::spmd::reshard {

/// The indices of a split dimension that each shard of a result needs: position i needs the window [starts[i],
/// starts[i] + size) of the whole array, which may reach beyond both ends.
struct ShardWindow {
  std::vector<std::int64_t> starts;  ///< one for each shard
  std::int64_t size = 0;
  /// starts[i] = first + i * step
  static ShardWindow linear(std::int64_t shards, std::int64_t first, std::int64_t step, std::int64_t size);
};

/// For a fill that is never read: elements beyond the array are then undefined.
constexpr hlo::InstructionId no_fill = -1;

/// Writes a value whose dimension d is the window of each partition (GSPMD, Xu et al. 2021, section 4.3). It consists
/// of elements of this shard, elements that other partitions send, and `fill` (a scalar of its type) beyond the ends of
/// the array. The dimension must be split into window.starts.size() shards. HaloPlan describes how the elements move;
/// if windows span so much that this would not save traffic or would take too many collectives, the dimension is
/// gathered instead.
/// The result is an id in the local program with the shape of value.id, except that dimension d has window.size
/// elements. Other dimensions of value.id may be windows already.
hlo::InstructionId exchange_halo(LocalProgram& program, const LocalValue& value, int dimension,
                                 const ShardWindow& window, hlo::InstructionId fill);

/// As above, for a value whose dimension d is split over `sub_axes` (its halo is exchanged) or whole (the window is
/// sliced out of it).
hlo::InstructionId take_window(LocalProgram& program, const LocalValue& value, int dimension,
                               const mesh::SubAxes& sub_axes, const ShardWindow& window, hlo::InstructionId fill);

/// The most elements along the dimension that any partition receives: k - 1 for a window of k elements that moves by
/// single elements over shards of at least (k - 1) / 2.
std::int64_t halo_elements(std::int64_t size, std::int64_t shards, const ShardWindow& window);

}  // namespace podsim::hlo::spmd::reshard
