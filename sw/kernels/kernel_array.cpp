// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/kernel_array.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "sw/graph/index_space.h"
#include "sw/kernels/kernel.h"

namespace podsim::sw {

namespace {

constexpr std::int64_t tile_rows = 8;
constexpr std::int64_t tile_lanes = 128;
constexpr std::uint32_t nan_f32 = 0x7fc00000;
constexpr std::uint32_t nan_bf16_pair = 0x7fc07fc0;

bool packed(const Shape& shape) { return shape.element_type == ElementType::bf16; }

/// Where an element is: a word of the array and, if two share it, the half.
struct Place {
  std::uint64_t word = 0;
  bool high = false;
};

/// Of an element in its tile, and of the tile in the array.
Place place_in(const ArrayTiles& tiles, std::int64_t plane, std::int64_t row, std::int64_t lane) {
  const std::int64_t tile = (plane * tiles.row_tiles + row / tile_rows) * tiles.lane_tiles + lane / tile_lanes;
  const std::int64_t words_per_row = tiles.tile_words / tile_rows;  // 128, or 64: half of a row of shared words
  const std::int64_t row_of_words = words_per_row == tile_lanes ? row % tile_rows : row % tile_rows / 2;
  const std::int64_t word = tile * tiles.tile_words + row_of_words * tile_lanes + lane % tile_lanes;
  return {std::uint64_t(word), words_per_row != tile_lanes && row % 2 == 1};
}

/// Where the elements of an array are, in the order of its literal.
class Places {
 public:
  explicit Places(const Shape& shape) : shape_(shape), tiles_(array_tiles(shape)) {}

  Place of(const std::vector<std::int64_t>& index) const {
    if (shape_.rank() == 0) return place_in(tiles_, 0, 0, 0);
    const std::int64_t minor = index[std::size_t(shape_.minor_dimension(0))];
    if (shape_.rank() == 1) return place_in(tiles_, 0, minor / tile_lanes, minor % tile_lanes);
    std::int64_t plane = 0;
    for (int i = shape_.rank() - 1; i >= 2; --i) {
      const auto dimension = std::size_t(shape_.minor_dimension(i));
      plane = plane * shape_.dimensions[dimension] + index[dimension];
    }
    return place_in(tiles_, plane, index[std::size_t(shape_.minor_dimension(1))], minor);
  }

 private:
  const Shape& shape_;
  ArrayTiles tiles_;
};

std::uint32_t word_of(ElementType type, double value) {
  if (type == ElementType::s32) return std::uint32_t(std::int32_t(value));
  return std::isnan(value) ? nan_f32 : std::bit_cast<std::uint32_t>(float(round_to(type, value)));
}

double value_of(ElementType type, std::uint32_t word) {
  return type == ElementType::s32 ? double(std::int32_t(word)) : double(std::bit_cast<float>(word));
}

}  // namespace

ArrayTiles array_tiles(const Shape& shape) {
  const ElementType type = shape.element_type;
  if (type != ElementType::f32 && type != ElementType::s32 && type != ElementType::bf16) {
    throw std::logic_error("a kernel has no arrays of " + to_string(type));
  }
  ArrayTiles tiles{1, 1, 1, tile_rows * tile_lanes / (packed(shape) ? 2 : 1)};
  if (shape.rank() == 0) return tiles;
  const auto size = [&](int i) { return shape.dimensions[std::size_t(shape.minor_dimension(i))]; };
  if (shape.rank() == 1) {
    tiles.row_tiles = base::divide_round_up(size(0), tile_rows * tile_lanes);
    return tiles;
  }
  tiles.lane_tiles = base::divide_round_up(size(0), tile_lanes);
  tiles.row_tiles = base::divide_round_up(size(1), tile_rows);
  for (int i = 2; i < shape.rank(); ++i) tiles.planes *= size(i);
  return tiles;
}

std::uint64_t array_words(const Shape& shape) { return std::uint64_t(array_tiles(shape).words()); }

void write_array(hw::DeviceMemory& hbm, const KernelArray& array, const Literal& value) {
  assert(array.shape.compatible(value.shape));
  std::vector<std::uint32_t> words(array_words(array.shape), packed(array.shape) ? nan_bf16_pair : nan_f32);
  const Places places(array.shape);
  std::size_t element = 0;
  for_each_index(array.shape.dimensions, [&](const std::vector<std::int64_t>& index) {
    const Place place = places.of(index);
    const std::uint32_t bits = word_of(array.shape.element_type, value.values[element++]);
    std::uint32_t& word = words[place.word];
    if (!packed(array.shape)) {
      word = bits;
    } else {
      word = place.high ? (word & 0xffff) | (bits & 0xffff0000) : (word & 0xffff0000) | (bits >> 16);
    }
  });
  hbm.write(array.address, words);
}

Literal read_array(const hw::DeviceMemory& hbm, const KernelArray& array) {
  std::vector<std::uint32_t> words(array_words(array.shape));
  hbm.read(array.address, words);
  Literal value{array.shape, {}, {}};
  value.values.reserve(std::size_t(array.shape.element_count()));
  const Places places(array.shape);
  for_each_index(array.shape.dimensions, [&](const std::vector<std::int64_t>& index) {
    const Place place = places.of(index);
    std::uint32_t word = words[place.word];
    if (packed(array.shape)) word = place.high ? word & 0xffff0000 : word << 16;
    value.values.push_back(value_of(array.shape.element_type, word));
  });
  return value;
}

}  // namespace podsim::sw
