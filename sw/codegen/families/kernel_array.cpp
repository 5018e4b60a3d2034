// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/kernel_array.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "hlo/eval/index_space.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families {

namespace {

constexpr std::uint32_t nan_f32 = 0x7fc00000;
constexpr std::uint32_t nan_bf16_pair = 0x7fc07fc0;

/// Whole numbers of a word.
bool is_word(hlo::ElementType type) { return type == hlo::ElementType::s32 || type == hlo::ElementType::u32; }

bool packed(const hlo::Shape& shape) { return shape.element_type == hlo::ElementType::bf16; }

/// Location of an element: a word of the array and, if two elements share the word, its half.
struct ElementLocation {
  std::uint64_t word = 0;
  bool high = false;
};

/// Returns the location of an element, given by its plane, row and lane.
ElementLocation location_in(const ArrayTiles& tiles, std::int64_t plane, std::int64_t row, std::int64_t lane) {
  const std::int64_t tile =
      (plane * tiles.row_tiles + row / builder::register_rows) * tiles.lane_tiles + lane / builder::register_lanes;
  const std::int64_t words_per_row =
      tiles.tile_words / builder::register_rows;  // 128, or 64: half of a row of shared words
  const std::int64_t row_of_words =
      words_per_row == builder::register_lanes ? row % builder::register_rows : row % builder::register_rows / 2;
  const std::int64_t word =
      tile * tiles.tile_words + row_of_words * builder::register_lanes + lane % builder::register_lanes;
  return {std::uint64_t(word), words_per_row != builder::register_lanes && row % 2 == 1};
}

/// Locations of the elements of an array, in the order of its literal.
class ElementLocations {
 public:
  explicit ElementLocations(const hlo::Shape& shape) : shape_(shape), tiles_(array_tiles(shape)) {}

  ElementLocation of(const std::vector<std::int64_t>& index) const {
    if (shape_.rank() == 0) return location_in(tiles_, 0, 0, 0);
    const std::int64_t minor = index[std::size_t(shape_.minor_dimension(0))];
    if (shape_.rank() == 1)
      return location_in(tiles_, 0, minor / builder::register_lanes, minor % builder::register_lanes);
    std::int64_t plane = 0;
    for (int i = shape_.rank() - 1; i >= 2; --i) {
      const auto dimension = std::size_t(shape_.minor_dimension(i));
      plane = plane * shape_.dimensions[dimension] + index[dimension];
    }
    return location_in(tiles_, plane, index[std::size_t(shape_.minor_dimension(1))], minor);
  }

 private:
  const hlo::Shape& shape_;
  ArrayTiles tiles_;
};

std::uint32_t word_of(hlo::ElementType type, double value) {
  if (is_word(type)) return std::uint32_t(std::int64_t(value));
  return std::isnan(value) ? nan_f32 : std::bit_cast<std::uint32_t>(float(hlo::round_to(type, value)));
}

double value_of(hlo::ElementType type, std::uint32_t word) {
  if (type == hlo::ElementType::u32) return double(word);
  return type == hlo::ElementType::s32 ? double(std::int32_t(word)) : double(std::bit_cast<float>(word));
}

}  // namespace

ArrayTiles array_tiles(const hlo::Shape& shape) {
  const hlo::ElementType type = shape.element_type;
  if (type != hlo::ElementType::f32 && !is_word(type) && type != hlo::ElementType::bf16) {
    throw std::logic_error("a kernel has no arrays of " + hlo::to_string(type));
  }
  ArrayTiles tiles{1, 1, 1, builder::register_rows * builder::register_lanes / (packed(shape) ? 2 : 1)};
  if (shape.rank() == 0) return tiles;
  const auto size = [&](int i) { return shape.dimensions[std::size_t(shape.minor_dimension(i))]; };
  if (shape.rank() == 1) {
    tiles.row_tiles = base::divide_round_up(size(0), builder::register_rows * builder::register_lanes);
    return tiles;
  }
  tiles.lane_tiles = base::divide_round_up(size(0), builder::register_lanes);
  tiles.row_tiles = base::divide_round_up(size(1), builder::register_rows);
  for (int i = 2; i < shape.rank(); ++i) tiles.planes *= size(i);
  return tiles;
}

std::uint64_t array_words(const hlo::Shape& shape) { return std::uint64_t(array_tiles(shape).words()); }

void write_array(hw::memory::DeviceMemory& hbm, const KernelArray& array, const hlo::Literal& value) {
  assert(array.shape.compatible(value.shape));
  std::vector<std::uint32_t> words(array_words(array.shape), packed(array.shape) ? nan_bf16_pair : nan_f32);
  const ElementLocations places(array.shape);
  std::size_t element = 0;
  hlo::eval::for_each_index(array.shape.dimensions, [&](const std::vector<std::int64_t>& index) {
    const ElementLocation place = places.of(index);
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

hlo::Literal read_array(const hw::memory::DeviceMemory& hbm, const KernelArray& array) {
  std::vector<std::uint32_t> words(array_words(array.shape));
  hbm.read(array.address, words);
  hlo::Literal value{array.shape, {}, {}};
  value.values.reserve(std::size_t(array.shape.element_count()));
  const ElementLocations places(array.shape);
  hlo::eval::for_each_index(array.shape.dimensions, [&](const std::vector<std::int64_t>& index) {
    const ElementLocation place = places.of(index);
    std::uint32_t word = words[place.word];
    if (packed(array.shape)) word = place.high ? word & 0xffff0000 : word << 16;
    value.values.push_back(value_of(array.shape.element_type, word));
  });
  return value;
}

}  // namespace podsim::sw::codegen::families
