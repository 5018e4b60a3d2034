// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/spmd/local_program.h"

namespace podsim::sw {

/// The indices of a cut dimension that each shard of a result needs: position i the window [starts[i], starts[i] +
/// size) of the whole array, which may reach beyond both ends.
struct ShardWindow {
  std::vector<std::int64_t> starts;  ///< one for each shard
  std::int64_t size = 0;
  /// starts[i] = first + i * step
  static ShardWindow linear(std::int64_t shards, std::int64_t first, std::int64_t step, std::int64_t size);
};

/// For a fill that nobody will see: what lies beyond the array is undefined then.
constexpr InstructionId no_fill = -1;

/// A value whose dimension d is the window of each partition (GSPMD, Xu et al. 2021, section 4.3): made of this shard
/// and of what others send, `fill` (a scalar of its type) beyond the ends of the array. The dimension must be cut in
/// window.starts.size() shards. HaloPlan says how the elements move; where a window spans so much that this would be
/// more than the array, the dimension is gathered instead.
/// The result is an id in the local program, of the shape of value.id but for dimension d, which has window.size
/// elements. Other dimensions of value.id may be windows already.
InstructionId exchange_halo(LocalProgram& program, const LocalValue& value, int dimension, const ShardWindow& window,
                            InstructionId fill);

/// The same for a value whose dimension d is cut along `sub_axes` (its halo is exchanged) or whole (the window is cut
/// out of it).
InstructionId take_window(LocalProgram& program, const LocalValue& value, int dimension, const SubAxes& sub_axes,
                          const ShardWindow& window, InstructionId fill);

/// Elements along the dimension that the partition which receives most gets from others: k - 1 for a window of k
/// elements that moves by single elements over shards of at least (k - 1) / 2.
std::int64_t halo_elements(std::int64_t size, std::int64_t shards, const ShardWindow& window);

}  // namespace podsim::sw
