// SPDX-License-Identifier: Apache-2.0
#include "hlo/tile_order.h"

#include <cstddef>
#include <utility>

#include "hlo/array_tile.h"

namespace podsim::hlo {
std::optional<std::vector<PlaceDigit>> place_digits(const Shape& shape) {
  if (shape.is_tuple() || shape.rank() < 2 || shape.element_count() == 0) return std::nullopt;
  if (!shape.tile.empty() && shape.tile != std::vector{tile_sublanes, tile_lanes}) return std::nullopt;
  const int lanes = shape.minor_dimension(0), sublanes = shape.minor_dimension(1);
  const std::int64_t in_lanes = shape.dimensions[std::size_t(lanes)];
  const std::int64_t in_sublanes = shape.dimensions[std::size_t(sublanes)];
  if (in_lanes % tile_lanes != 0 || in_sublanes % tile_sublanes != 0) return std::nullopt;
  std::vector<PlaceDigit> digits;
  const auto append = [&digits](PlaceDigit digit) {
    if (digit.size > 1) digits.push_back(digit);
  };
  for (int i = shape.rank() - 1; i > 1; --i) {
    const int dimension = shape.minor_dimension(i);
    append({dimension, shape.dimensions[std::size_t(dimension)], 1});
  }
  append({sublanes, in_sublanes / tile_sublanes, tile_sublanes});
  append({lanes, in_lanes / tile_lanes, tile_lanes});
  append({sublanes, tile_sublanes, 1});
  append({lanes, tile_lanes, 1});
  return digits;
}

std::vector<int> min_padded_order(const Shape& shape) {
  Shape tried = shape;
  tried.minor_to_major.clear();
  std::vector<int> best;
  base::Bytes least = padded_bytes(tried);
  const auto consider = [&](std::vector<int> order) {
    tried.minor_to_major = std::move(order);
    const base::Bytes bytes = padded_bytes(tried);
    if (bytes >= least) return;
    least = bytes;
    best = tried.minor_to_major;
  };
  const auto moved = [&](int lanes, int sublanes) {
    std::vector<int> order{lanes};
    if (sublanes >= 0) order.push_back(sublanes);
    for (int d = shape.rank(); d-- > 0;) {
      if (d != lanes && d != sublanes) order.push_back(d);
    }
    return order;
  };
  for (int lanes = shape.rank(); lanes-- > 0;) consider(moved(lanes, -1));
  for (int lanes = shape.rank(); lanes-- > 0;) {
    for (int sublanes = shape.rank(); sublanes-- > 0;) {
      if (sublanes != lanes) consider(moved(lanes, sublanes));
    }
  }
  return best;
}

}  // namespace podsim::hlo
