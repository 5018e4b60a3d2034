// SPDX-License-Identifier: Apache-2.0
#include "hlo/proto/shape_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "hlo/proto/field_values.h"

namespace podsim::hlo::proto {
namespace {

using protozero::data_view;

constexpr std::int64_t tuple_type = 13;

const std::map<std::int64_t, std::string>& type_names() {
  static const std::map<std::int64_t, std::string> names = {{1, "pred"},        {2, "s8"},
                                                            {3, "s16"},         {4, "s32"},
                                                            {5, "s64"},         {6, "u8"},
                                                            {7, "u16"},         {8, "u32"},
                                                            {9, "u64"},         {10, "f16"},
                                                            {11, "f32"},        {12, "f64"},
                                                            {14, "opaque"},     {15, "c64"},
                                                            {16, "bf16"},       {17, "token"},
                                                            {18, "c128"},       {19, "f8e5m2"},
                                                            {20, "f8e4m3fn"},   {21, "s4"},
                                                            {22, "u4"},         {23, "f8e4m3b11fnuz"},
                                                            {24, "f8e5m2fnuz"}, {25, "f8e4m3fnuz"},
                                                            {26, "s2"},         {27, "u2"},
                                                            {28, "f8e4m3"},     {29, "f8e3m4"},
                                                            {30, "s1"},         {31, "u1"},
                                                            {32, "f4e2m1fn"},   {33, "f8e8m0fnu"}};
  return names;
}

std::string layout_text(data_view layout) {
  std::string text = fmt::format("{{{}", fmt::join(integers_of(layout, 1), ","));
  std::string more;
  for (const data_view tile : messages_of(layout, 6)) more += fmt::format("({})", fmt::join(integers_of(tile, 1), ","));
  if (!more.empty()) more.insert(0, "T");
  if (const std::int64_t space = integer_of(layout, 8); space != 0) more += fmt::format("S({})", space);
  return text + (more.empty() ? "" : ":" + more) + "}";
}

/// The first value of a scalar's field: a varint, or 2, 4 or 8 bytes of a number.
double first_number(data_view literal, protozero::pbf_tag_type tag, std::size_t width) {
  for (protozero::pbf_reader field(literal); field.next(tag);) {
    std::uint64_t bits = 0;
    if (field.wire_type() == protozero::pbf_wire_type::fixed32) {
      bits = field.get_fixed32();
    } else if (field.wire_type() == protozero::pbf_wire_type::fixed64) {
      bits = field.get_fixed64();
    } else if (field.wire_type() == protozero::pbf_wire_type::length_delimited) {
      const data_view bytes = field.get_view();
      std::memcpy(&bits, bytes.data(), std::min(width, bytes.size()));
    } else {
      field.skip();
    }
    if (width == 8) return std::bit_cast<double>(bits);
    return double(std::bit_cast<float>(std::uint32_t(width == 2 ? bits << 16 : bits)));
  }
  return 0;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value);
}

}  // namespace

std::string type_text(std::int64_t type) {
  const auto found = type_names().find(type);
  return found == type_names().end() ? "invalid" : found->second;
}

std::string shape_text(data_view shape) {
  const std::int64_t type = integer_of(shape, 2);
  if (type == tuple_type) {
    std::vector<std::string> elements;
    for (const data_view element : messages_of(shape, 4)) elements.push_back(shape_text(element));
    return fmt::format("({})", fmt::join(elements, ", "));
  }
  const Integers sizes = integers_of(shape, 3);
  std::string text = fmt::format("{}[{}]", type_text(type), fmt::join(sizes, ","));
  const data_view layout = bytes_of(shape, 5);
  return sizes.empty() || layout.empty() ? text : text + layout_text(layout);
}

std::string literal_text(data_view literal) {
  const data_view shape = bytes_of(literal, 1);
  if (!integers_of(shape, 3).empty() || literal.empty()) return "{...}";
  switch (integer_of(shape, 2)) {
    case 1:
      return integer_of(literal, 2) != 0 ? "true" : "false";
    case 4:
      return std::to_string(integer_of(literal, 4));
    case 5:
      return std::to_string(integer_of(literal, 5));
    case 8:
      return std::to_string(std::uint32_t(integer_of(literal, 6)));
    case 9:
      return std::to_string(std::uint64_t(integer_of(literal, 7)));
    case 11:
      return number_text(first_number(literal, 8, 4));
    case 12:
      return number_text(first_number(literal, 9, 8));
    case 16:
      return number_text(first_number(literal, 13, 2));
    default:
      return "{...}";
  }
}

}  // namespace podsim::hlo::proto
