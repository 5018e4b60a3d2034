// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/constant_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>

#include "hlo/element_type.h"
#include "hlo/float_format.h"
#include "hlo/stablehlo/attribute_value.h"

namespace podsim::hlo::stablehlo {
namespace {

hlo::ElementType element_of(const Type& type) {
  const auto rows = hlo::element_types();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name == type.element) return hlo::ElementType(i);
  }
  return hlo::ElementType::opaque;
}

std::string number_text(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value);
}

/// The number that these bits are in a type of at most 64 bits.
std::string text_of_bits(std::uint64_t bits, hlo::ElementType type) {
  const int width = hlo::element_types()[std::size_t(type)].bits;
  if (type == hlo::ElementType::pred) return bits != 0 ? "true" : "false";
  if (type == hlo::ElementType::f64) {
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return number_text(value);
  }
  if (type == hlo::ElementType::f32) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return number_text(double(value));
  }
  if (const auto format = hlo::float_format(type)) return number_text(hlo::decode(*format, width, bits));
  if (type == hlo::ElementType::f8e8m0fnu) return bits == 255 ? "nan" : number_text(std::ldexp(1.0, int(bits) - 127));
  if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
  if (!hlo::is_signed_integer(type)) return fmt::format("{}", bits);
  if (width < 64 && (bits >> (width - 1)) != 0) bits |= ~((std::uint64_t{1} << width) - 1);
  return fmt::format("{}", std::int64_t(bits));
}

std::uint64_t bits_at(const std::string& bytes, std::size_t index, std::size_t width) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * width, width);
  return bits;
}

/// One element: a number, or a pair in parentheses.
class ElementText {
 public:
  explicit ElementText(const Type& type) : type_(element_of(type)) {
    if (hlo::is_complex(type_)) part_ = type_ == hlo::ElementType::c64 ? hlo::ElementType::f32 : hlo::ElementType::f64;
  }

  std::size_t bytes() const { return std::size_t(hlo::byte_width(type_)); }
  bool is_bit() const { return type_ == hlo::ElementType::pred; }

  void append(std::string& out, Cursor& cursor) const {
    if (!hlo::is_complex(type_)) return append_number(out, cursor, type_);
    cursor.expect('(', "of a complex number");
    out += '(';
    append_number(out, cursor, part_);
    cursor.expect(',', "between the parts of a complex number");
    out += ", ";
    append_number(out, cursor, part_);
    cursor.expect(')', "after a complex number");
    out += ')';
  }

  void append_raw(std::string& out, const std::string& bytes, std::size_t index) const {
    if (!hlo::is_complex(type_)) {
      out += text_of_bits(bits_at(bytes, index, this->bytes()), type_);
      return;
    }
    const std::size_t half = this->bytes() / 2;
    out += fmt::format("({}, {})", text_of_bits(bits_at(bytes, index * 2, half), part_),
                       text_of_bits(bits_at(bytes, index * 2 + 1, half), part_));
  }

 private:
  static void append_number(std::string& out, Cursor& cursor, hlo::ElementType type) {
    cursor.skip_space();
    const std::string_view text = cursor.text();
    const std::size_t begin = cursor.offset();
    std::size_t end = begin;
    while (end < text.size() && (is_word_character(text[end]) || text[end] == '-' || text[end] == '+')) ++end;
    const std::string_view number = text.substr(begin, end - begin);
    if (number.empty()) cursor.fail_expected("a number");
    cursor.move_to(end);
    if (!number.starts_with("0x")) {
      out += number;
      return;
    }
    std::uint64_t bits = 0;
    const auto [last, error] = std::from_chars(number.data() + 2, number.data() + number.size(), bits, 16);
    if (error != std::errc() || last != number.data() + number.size()) {
      cursor.fail_at(number, "expected at most 16 hexadecimal digits");
    }
    out += text_of_bits(bits, type);
  }

  hlo::ElementType type_, part_ = hlo::ElementType::f32;
};

void append_list(std::string& out, Cursor& cursor, const ElementText& element, int depth) {
  if (depth > 64) cursor.fail_expected("at most 64 dimensions");
  if (cursor.peek() != '[') return element.append(out, cursor);
  cursor.accept('[');
  out += '{';
  if (!cursor.accept(']')) {
    append_list(out, cursor, element, depth + 1);
    while (cursor.accept(',')) {
      out += ", ";
      append_list(out, cursor, element, depth + 1);
    }
    cursor.expect(']', "after the values");
  }
  out += '}';
}

/// Appends the elements of the dimensions from `level` on, each by append(index).
void append_nested_text(std::string& out, const Integers& sizes, std::size_t level, std::size_t& next,
                        const std::function<void(std::size_t)>& append) {
  if (level == sizes.size()) return append(next++);
  out += '{';
  for (std::int64_t i = 0; i < sizes[level]; ++i) {
    if (i > 0) out += ", ";
    append_nested_text(out, sizes, level + 1, next, append);
  }
  out += '}';
}

std::string unpacked(const std::string& packed, std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i < count; ++i) bytes[i] = char(packed[i / 8] >> (i % 8) & 1);
  return bytes;
}

ConstantText raw_constant(std::string bytes, const Type& type, std::size_t offset) {
  const ElementText element(type);
  const std::int64_t elements = product(type.dimensions);
  if (elements < 0) throw Fault(offset, 1, fmt::format("{} has too many elements", type.hlo));
  const auto count = std::size_t(elements);
  if (element.is_bit() && count > 1 && bytes.size() == (count + 7) / 8) bytes = unpacked(bytes, count);
  ConstantText made;
  if (bytes.size() == element.bytes() && count != 1) {
    made.is_splat = true;
    element.append_raw(made.literal, bytes, 0);
    return made;
  }
  if (bytes.size() / element.bytes() != count || bytes.size() % element.bytes() != 0) {
    throw Fault(offset, 1,
                fmt::format("{} bytes of values, {} needs {}", bytes.size(), type.hlo, count * element.bytes()));
  }
  if (count == 0) return {"{}", false};
  std::size_t next = 0;
  append_nested_text(made.literal, type.dimensions, 0, next,
                     [&](std::size_t index) { element.append_raw(made.literal, bytes, index); });
  return made;
}

/// The bytes of a resource: hexadecimal digits, the first four bytes an alignment. Empty if it is not in the text.
std::string resource_bytes(std::string_view name, std::string_view resources) {
  for (std::size_t at = resources.find(name); at != std::string_view::npos; at = resources.find(name, at + 1)) {
    Cursor cursor(resources, at + name.size());
    if (at > 0 && is_word_character(resources[at - 1])) continue;
    if (!cursor.accept(':') || cursor.peek() != '"') continue;
    const std::string bytes = hex_bytes(cursor.quoted());
    return bytes.size() < 4 ? "" : bytes.substr(4);
  }
  return {};
}

}  // namespace

ConstantText constant_text(std::string_view value, const Type& type, std::string_view resources) {
  if (type.element.empty()) throw Fault(0, value.size(), "a constant is an array");
  ConstantText made;
  if (value.starts_with("dense_resource<")) {
    const std::string bytes = resource_bytes(inner(value), resources);
    if (!bytes.empty()) return raw_constant(bytes, type, 0);
    made.literal = "{...}";
    made.is_splat = type.dimensions.empty();
    return made;
  }
  if (!value.starts_with("dense<")) throw Fault(0, value.size(), "expected dense<...>");
  const std::string_view content = inner(value);
  const auto offset = std::size_t(content.data() - value.data());
  if (content.starts_with('"')) {
    Cursor cursor(content);
    return raw_constant(hex_bytes(cursor.quoted()), type, offset);
  }
  try {
    Cursor cursor(content);
    made.is_splat = cursor.peek() != '[' && !content.empty();
    if (content.empty()) {
      made.literal = "{}";
    } else {
      append_list(made.literal, cursor, ElementText(type), 0);
      if (cursor.skip_space()) cursor.fail_expected("the end of the values");
    }
  } catch (const Fault& fault) {
    throw Fault(offset + fault.offset, fault.length, fault.what(), fault.hint);
  }
  return made;
}

}  // namespace podsim::hlo::stablehlo
