// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/shape.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace podsim::sw {

namespace {

constexpr std::int64_t lanes = 128;
constexpr std::int64_t sublanes = 8;

std::int64_t power_of_two_at_least(std::int64_t value) {
  return std::int64_t(std::bit_ceil(std::uint64_t(std::max<std::int64_t>(value, 1))));
}

/// Elements a vector is padded to: T(256) to T(1024), two rows of 128 words of packed elements at least.
std::int64_t padded_vector(std::int64_t elements, std::int64_t packing) {
  const std::int64_t tile = std::clamp(power_of_two_at_least(elements), 2 * lanes * packing, sublanes * lanes);
  return base::round_up(elements, tile);
}

/// Second most minor dimension: T(2,128), T(4,128) or T(8,128), two words of packed elements at least.
std::int64_t padded_sublanes(std::int64_t elements, std::int64_t packing) {
  const std::int64_t tile = std::clamp(power_of_two_at_least(elements), std::min(2 * packing, sublanes), sublanes);
  return base::round_up(elements, tile);
}

std::int64_t padded_elements(const Shape& shape, std::int64_t packing) {
  if (shape.rank() == 0) return 1;
  const std::int64_t minor = shape.dimensions[shape.minor_dimension(0)];
  if (shape.rank() == 1) return padded_vector(minor, packing);
  std::int64_t count = base::round_up(minor, lanes);
  count *= padded_sublanes(shape.dimensions[shape.minor_dimension(1)], packing);
  for (int i = 2; i < shape.rank(); ++i) count *= shape.dimensions[shape.minor_dimension(i)];
  return count;
}

}  // namespace

std::string to_string(ElementType type) {
  switch (type) {
    case ElementType::pred:
      return "pred";
    case ElementType::s8:
      return "s8";
    case ElementType::s16:
      return "s16";
    case ElementType::s32:
      return "s32";
    case ElementType::s64:
      return "s64";
    case ElementType::u8:
      return "u8";
    case ElementType::u16:
      return "u16";
    case ElementType::u32:
      return "u32";
    case ElementType::u64:
      return "u64";
    case ElementType::f16:
      return "f16";
    case ElementType::bf16:
      return "bf16";
    case ElementType::f32:
      return "f32";
    case ElementType::f64:
      return "f64";
    case ElementType::tuple:
      return "tuple";
    case ElementType::token:
      return "token";
  }
  assert(false);
  return "";
}

int byte_width(ElementType type) {
  switch (type) {
    case ElementType::pred:
    case ElementType::s8:
    case ElementType::u8:
      return 1;
    case ElementType::s16:
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::s32:
    case ElementType::u32:
    case ElementType::f32:
      return 4;
    case ElementType::s64:
    case ElementType::u64:
    case ElementType::f64:
      return 8;
    case ElementType::tuple:
    case ElementType::token:
      return 0;
  }
  assert(false);
  return 0;
}

bool is_floating_point(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f32 || type == ElementType::f64;
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
  if (!shape.minor_to_major.empty()) text += fmt::format("{{{}}}", fmt::join(shape.minor_to_major, ","));
  return text;
}

base::Bytes logical_bytes(const Shape& shape) {
  base::Bytes bytes(shape.element_count() * byte_width(shape.element_type));
  for (const Shape& element : shape.tuple_shapes) bytes += logical_bytes(element);
  return bytes;
}

base::Bytes padded_bytes(const Shape& shape) {
  const int width = byte_width(shape.element_type);
  base::Bytes bytes(width == 0 ? 0 : padded_elements(shape, std::max(1, 4 / width)) * width);
  for (const Shape& element : shape.tuple_shapes) bytes += padded_bytes(element);
  return bytes;
}

}  // namespace podsim::sw
