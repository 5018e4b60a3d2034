// SPDX-License-Identifier: Apache-2.0
#include "hlo/shape.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hlo/array_tile.h"

namespace podsim::hlo {

namespace {

std::int64_t power_of_two_at_least(std::int64_t value) {
  return std::int64_t(std::bit_ceil(std::uint64_t(std::max<std::int64_t>(value, 1))));
}

/// Pads the length of a vector to a tile of T(256) to T(1024), at least two rows of 128 words of packed elements.
std::int64_t padded_vector(std::int64_t elements, std::int64_t packing) {
  const std::int64_t tile =
      std::clamp(power_of_two_at_least(elements), 2 * tile_lanes * packing, tile_sublanes * tile_lanes);
  return base::round_up(elements, tile);
}

int bits_of(const Shape& shape) { return element_types()[std::size_t(shape.element_type)].bits; }

std::int64_t elements_of_word(const Shape& shape) { return std::max(1, 32 / std::max(1, bits_of(shape))); }

/// Bytes of elements one behind the other; those of less than a byte are packed.
base::Bytes bytes_of(const Shape& shape, std::int64_t elements) {
  return base::Bytes(base::divide_round_up(elements * bits_of(shape), 8));
}

/// Elements of the shape padded to its own tile.
std::int64_t tiled_elements(const Shape& shape) {
  const int covered = std::min(int(shape.tile.size()), shape.rank());
  std::int64_t count = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    const std::int64_t size = shape.dimensions[shape.minor_dimension(i)];
    count *= i < covered ? base::round_up(size, shape.tile[shape.tile.size() - 1 - i]) : size;
  }
  // Tile dimensions beyond the array's are padding too: a vector under T(8,128) fills a row of sublanes.
  for (std::size_t i = covered; i < shape.tile.size(); ++i) count *= shape.tile[shape.tile.size() - 1 - i];
  return count;
}

std::int64_t padded_elements(const Shape& shape) {
  if (!shape.tile.empty() && shape.rank() > 0) return tiled_elements(shape);
  if (shape.rank() == 0) return 1;
  const std::int64_t minor = shape.dimensions[shape.minor_dimension(0)];
  if (shape.rank() == 1) return padded_vector(minor, elements_of_word(shape));
  std::int64_t count = base::round_up(minor, tile_lanes);
  count *= base::round_up(shape.dimensions[shape.minor_dimension(1)], tile_rows(shape));
  for (int i = 2; i < shape.rank(); ++i) count *= shape.dimensions[shape.minor_dimension(i)];
  return count;
}

}  // namespace

/// T(2,128), T(4,128) or T(8,128), at least two words of packed elements.
std::int64_t tile_rows(const Shape& shape) {
  if (!shape.tile.empty()) return shape.tile.size() < 2 ? 1 : shape.tile[shape.tile.size() - 2];
  if (shape.rank() < 2) return 1;
  return std::clamp(power_of_two_at_least(shape.dimensions[std::size_t(shape.minor_dimension(1))]),
                    std::min(2 * elements_of_word(shape), tile_sublanes), tile_sublanes);
}

std::int64_t Shape::element_count() const {
  std::int64_t count = 1;
  for (std::int64_t dimension : dimensions) count *= dimension;
  return count;
}

int Shape::minor_dimension(int i) const {
  assert(i >= 0 && i < rank());
  return minor_to_major.empty() ? rank() - 1 - i : minor_to_major[i];
}

bool Shape::compatible(const Shape& other) const {
  return element_type == other.element_type && dimensions == other.dimensions &&
         std::equal(tuple_shapes.begin(), tuple_shapes.end(), other.tuple_shapes.begin(), other.tuple_shapes.end(),
                    [](const Shape& a, const Shape& b) { return a.compatible(b); });
}

Shape make_shape(ElementType type, std::vector<std::int64_t> dimensions) {
  Shape shape;
  shape.element_type = type;
  shape.dimensions = std::move(dimensions);
  return shape;
}

Shape make_tuple_shape(std::vector<Shape> elements) {
  Shape shape;
  shape.element_type = ElementType::tuple;
  shape.tuple_shapes = std::move(elements);
  return shape;
}

std::string to_string(const Shape& shape) {
  if (shape.is_tuple()) {
    std::string text = "(";
    for (const Shape& element : shape.tuple_shapes) text += (text.size() > 1 ? ", " : "") + to_string(element);
    return text + ")";
  }
  std::string text = fmt::format("{}[{}]", to_string(shape.element_type), fmt::join(shape.dimensions, ","));
  std::string properties;
  if (!shape.tile.empty()) properties += fmt::format("T({})", fmt::join(shape.tile, ","));
  if (shape.memory_space != 0) properties += fmt::format("S({})", shape.memory_space);
  if (shape.minor_to_major.empty() && properties.empty()) return text;
  std::vector<int> order;
  for (int i = 0; i < shape.rank(); ++i) order.push_back(shape.minor_dimension(i));
  return text + fmt::format("{{{}{}{}}}", fmt::join(order, ","), properties.empty() ? "" : ":", properties);
}

base::Bytes logical_bytes(const Shape& shape) {
  base::Bytes bytes = bytes_of(shape, shape.element_count());
  for (const Shape& element : shape.tuple_shapes) bytes += logical_bytes(element);
  return bytes;
}

base::Bytes padded_bytes(const Shape& shape) {
  base::Bytes bytes(0);
  if (bits_of(shape) > 0) bytes = bytes_of(shape, padded_elements(shape));
  for (const Shape& element : shape.tuple_shapes) bytes += padded_bytes(element);
  return bytes;
}

}  // namespace podsim::hlo
