// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/scale_sharding.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace podsim::hlo::weights {
namespace {

/// The devices of an array of tiles with its dimensions in another order.
std::vector<std::int64_t> transposed(const std::vector<std::int64_t>& devices, const std::vector<std::int64_t>& tiles,
                                     const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> strides(tiles.size(), 1);
  for (std::size_t d = tiles.size(); d-- > 1;) strides[d - 1] = strides[d] * tiles[d];
  std::vector<std::int64_t> result, index(tiles.size(), 0);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < order.size(); ++d) from += index[d] * strides[order[d]];
    result.push_back(devices[std::size_t(from)]);
    for (std::size_t d = order.size(); d-- > 0;) {
      if (++index[d] < tiles[order[d]]) break;
      index[d] = 0;
    }
  }
  return result;
}

}  // namespace

std::shared_ptr<const Sharding> scale_sharding(const Sharding* weight, const TypedWeight& typed, int rank) {
  if (weight == nullptr) return nullptr;
  if (weight->kind != Sharding::Kind::tiled || weight->rank() != rank) return std::make_shared<Sharding>(*weight);
  std::vector<std::size_t> own, shared;
  for (int d = 0; d < rank; ++d) {
    const bool has = !typed.shared[std::size_t(d)] || d == typed.grouped_dimension;
    (has ? own : shared).push_back(std::size_t(d));
  }
  std::vector<std::size_t> order = own;
  order.insert(order.end(), shared.begin(), shared.end());
  Sharding scales;
  scales.kind = Sharding::Kind::tiled;
  std::int64_t parts = 1, copies = 1;
  for (const std::size_t d : own) {
    scales.tiles.push_back(weight->tiles[d]);
    parts *= weight->tiles[d];
  }
  for (const std::size_t d : shared) copies *= weight->tiles[d];
  for (std::size_t i = 0; i < weight->subgroups.size(); ++i) {
    const std::int64_t size = weight->tiles[std::size_t(rank) + i];
    if (weight->subgroups[i] == Sharding::Subgroup::manual) return std::make_shared<Sharding>();
    copies *= size;
    order.push_back(std::size_t(rank) + i);
  }
  if (parts == 1) return std::make_shared<Sharding>();
  if (copies > 1) {
    scales.tiles.push_back(copies);
    scales.subgroups.push_back(Sharding::Subgroup::replicated);
  }
  scales.devices = transposed(weight->device_list(), weight->tiles, order);
  return std::make_shared<const Sharding>(std::move(scales));
}

}  // namespace podsim::hlo::weights
