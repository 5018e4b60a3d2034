// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/npy.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.h"
#include "hlo/eval/bit_pattern.h"
#include "hlo/eval/index_space.h"

namespace podsim::hlo::text::graph {

namespace {

[[noreturn]] void fail(const std::string& message) { throw base::InputError(message); }

struct Header {
  std::string type;  ///< "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> dimensions;
  std::size_t data = 0;  ///< offset of the elements
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::uint8_t(bytes[i]);
  return value;
}

/// The text after 'key': in the header's dictionary.
std::string_view value_of(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) fail(fmt::format("the header of the .npy file has no '{}'", key));
  std::string_view rest = dictionary.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::vector<std::int64_t> read_dimensions(std::string_view text) {
  std::vector<std::int64_t> dimensions;
  text = text.substr(0, text.find(')'));
  while (true) {
    const std::size_t digit = text.find_first_of("0123456789");
    if (digit == std::string_view::npos) return dimensions;
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data() + digit, text.data() + text.size(), size);
    if (error != std::errc()) fail("a dimension of the .npy file is too large");
    dimensions.push_back(size);
    text.remove_prefix(std::size_t(end - text.data()));
  }
}

Header read_header(std::string_view bytes) {
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12) fail("this is not a .npy file");
  const bool first_version = bytes[6] == 1;
  const std::size_t start = first_version ? 10 : 12;
  const std::uint64_t length = little_endian(bytes.substr(8, first_version ? 2 : 4));
  if (length > bytes.size() - start) fail("the .npy file ends in its header");
  const std::string_view dictionary = bytes.substr(start, length);
  Header header;
  const std::string_view type = value_of(dictionary, "descr");
  if (!type.starts_with('\'')) fail("a .npy file of records is no array of numbers");
  header.type = std::string(type.substr(1, type.find('\'', 1) - 1));
  header.fortran_order = value_of(dictionary, "fortran_order").starts_with("True");
  header.dimensions = read_dimensions(value_of(dictionary, "shape"));
  header.data = start + length;
  return header;
}

/// The element type for a NumPy type; untyped elements have the shape's type `own`.
hlo::ElementType element_type(const std::string& type, hlo::ElementType own) {
  static constexpr std::pair<std::string_view, hlo::ElementType> types[] = {
      {"b1", hlo::ElementType::pred}, {"i1", hlo::ElementType::s8},    {"i2", hlo::ElementType::s16},
      {"i4", hlo::ElementType::s32},  {"i8", hlo::ElementType::s64},   {"u1", hlo::ElementType::u8},
      {"u2", hlo::ElementType::u16},  {"u4", hlo::ElementType::u32},   {"u8", hlo::ElementType::u64},
      {"f2", hlo::ElementType::f16},  {"f4", hlo::ElementType::f32},   {"f8", hlo::ElementType::f64},
      {"c8", hlo::ElementType::c64},  {"c16", hlo::ElementType::c128},
  };
  const std::string name = type.substr(std::min<std::size_t>(1, type.size()));
  const auto* found = std::ranges::find(types, name, &std::pair<std::string_view, hlo::ElementType>::first);
  if (found != std::end(types) && !type.starts_with('>')) return found->second;
  if (name == fmt::format("V{}", byte_width(own))) return own;
  fail(fmt::format("'{}' is no type of numbers that can be read", type));
}

/// The element with these bytes; a complex one has its real part first.
eval::Element element_in(hlo::ElementType type, std::string_view bytes) {
  if (!hlo::is_complex(type)) return eval::element_from_bits(type, little_endian(bytes));
  const hlo::ElementType part = type == hlo::ElementType::c64 ? hlo::ElementType::f32 : hlo::ElementType::f64;
  const std::size_t half = bytes.size() / 2;
  return {element_in(part, bytes.substr(0, half)).number, 0, element_in(part, bytes.substr(half)).number};
}

}  // namespace

hlo::Literal read_npy(std::string_view bytes, const hlo::Shape& shape) {
  const Header header = read_header(bytes);
  if (shape.is_tuple() || header.dimensions != shape.dimensions) {
    fail(fmt::format("an array of [{}] is no {}", fmt::join(header.dimensions, ","), to_string(shape)));
  }
  const hlo::ElementType type = element_type(header.type, shape.element_type);
  if (hlo::is_complex(type) && !hlo::is_complex(shape.element_type)) {
    fail(fmt::format("an array of complex numbers is no {}", to_string(shape)));
  }
  const auto width = std::size_t(byte_width(type));
  const std::int64_t count = shape.element_count();
  if ((bytes.size() - header.data) / width < std::size_t(count)) fail("the .npy file ends before its last element");
  hlo::Literal literal = hlo::make_zeros(shape);
  const std::vector<std::int64_t> strides = eval::row_major_strides(shape.dimensions);
  std::vector<std::int64_t> sizes = shape.dimensions;
  if (header.fortran_order) std::ranges::reverse(sizes);
  std::size_t place = header.data;
  eval::for_each_index(sizes, [&](const std::vector<std::int64_t>& index) {
    std::int64_t to = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      to += index[i] * strides[header.fortran_order ? index.size() - 1 - i : i];
    }
    const eval::Element element = element_in(type, bytes.substr(place, width));
    set_element(literal, to, type == shape.element_type ? element : convert_element(type, shape.element_type, element));
    place += width;
  });
  return literal;
}

}  // namespace podsim::hlo::text::graph
