// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/shard_values.h"

#include <algorithm>
#include <stdexcept>

#include "hlo/eval/index_space.h"

namespace podsim::hlo::eval {
namespace {

/// Where the shard of a partition begins in the whole array, as a position in row-major order.
std::int64_t shard_begin(const Shape& whole, const Shape& shard, const Sharding* sharding, std::int64_t partition) {
  if (sharding == nullptr || sharding->kind != Sharding::Kind::tiled || sharding->rank() != whole.rank() ||
      shard.rank() != whole.rank()) {
    throw std::logic_error("no sharding tells which part each partition has");
  }
  const std::vector<std::int64_t> devices = sharding->device_list();
  const auto found = std::ranges::find(devices, partition);
  if (found == devices.end()) throw std::logic_error("the sharding leaves out a partition");
  std::int64_t tile = found - devices.begin();
  std::vector<std::int64_t> position(sharding->tiles.size());
  for (std::size_t d = position.size(); d-- > 0;) {
    position[d] = tile % sharding->tiles[d];
    tile /= sharding->tiles[d];
  }
  const std::vector<std::int64_t> strides = row_major_strides(whole.dimensions);
  std::int64_t begin = 0;
  for (std::size_t d = 0; d < whole.dimensions.size(); ++d) {
    if (whole.dimensions[d] == shard.dimensions[d]) continue;
    if (shard.dimensions[d] * sharding->tiles[d] != whole.dimensions[d]) {
      throw std::logic_error("its shape is not that of a shard");
    }
    begin += position[d] * shard.dimensions[d] * strides[d];
  }
  return begin;
}

}  // namespace

Literal shard_of(const Literal& whole, const Shape& shard, const Sharding* sharding, std::int64_t partition) {
  return gather_affine(shard, whole, shard_begin(whole.shape, shard, sharding, partition),
                       row_major_strides(whole.shape.dimensions));
}

Literal whole_of(std::span<const Literal* const> shards, const Shape& whole, const Sharding* sharding) {
  Literal result = make_zeros(whole);
  const std::vector<std::int64_t> strides = row_major_strides(whole.dimensions);
  for (std::size_t partition = shards.size(); partition-- > 0;) {
    const Literal& shard = *shards[partition];
    scatter_affine(result, shard, shard_begin(whole, shard.shape, sharding, std::int64_t(partition)), strides);
  }
  return result;
}

}  // namespace podsim::hlo::eval
