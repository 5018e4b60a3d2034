// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/attribute_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "hlo/stablehlo/cursor.h"

namespace podsim::hlo::stablehlo {
namespace {

constexpr std::int64_t max_attribute_values = 1 << 26;

void append_nested(Cursor& cursor, Integers& values) {
  if (cursor.peek() == '[') {
    if (cursor.accept('[') && cursor.accept(']')) return;
    do {
      append_nested(cursor, values);
    } while (cursor.accept(','));
    return cursor.expect(']', "after the numbers");
  }
  if (cursor.accept_word("true")) return values.push_back(1);
  if (cursor.accept_word("false")) return values.push_back(0);
  values.push_back(cursor.integer());
  if (cursor.peek() == ':') cursor.balanced(",]");
}

/// Integers of 64, 32 or 8 bits as raw bytes, least first.
Integers raw_integers(const std::string& bytes, std::size_t width) {
  Integers values;
  for (std::size_t i = 0; i + width <= bytes.size(); i += width) {
    std::int64_t value = 0;
    std::memcpy(&value, bytes.data() + i, width);
    if (width == 4) value = std::int32_t(value);
    values.push_back(value);
  }
  return values;
}

Integers dense_integers(std::string_view value) {
  const std::string_view content = inner(value);
  const std::int64_t count = product(dense_sizes(value));
  if (count < 0 || count > max_attribute_values) throw Fault(0, value.size(), "an attribute of too many numbers");
  Integers values;
  if (content.starts_with('"')) {
    const std::size_t width = value.ends_with("i32>") ? 4 : value.ends_with("i1>") || value.ends_with("i8>") ? 1 : 8;
    values = raw_integers(hex_bytes(content.substr(1, content.size() - 2)), width);
  } else if (!content.empty()) {
    Cursor cursor(content);
    append_nested(cursor, values);
  }
  if (values.size() == 1 && count != 1) values.assign(std::size_t(count), values[0]);
  return values;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

std::int64_t product(const Integers& sizes) {
  constexpr std::int64_t most = std::int64_t(1) << 48;
  std::int64_t made = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0 || (size > 0 && made > most / size)) return -1;
    made *= size;
  }
  return made;
}

std::string_view inner(std::string_view value) {
  Cursor cursor(value, std::min(value.find_first_of("<[{("), value.size()));
  const std::string_view bracketed = cursor.bracketed();
  return trimmed(bracketed.substr(1, bracketed.size() - 2));
}

Integers dense_sizes(std::string_view value) {
  const std::size_t tensor = value.rfind("tensor<");
  Integers sizes;
  if (tensor == std::string_view::npos) return sizes;
  Cursor cursor(value, tensor + 7);
  while (cursor.peek() >= '0' && cursor.peek() <= '9') {
    sizes.push_back(cursor.integer());
    cursor.expect('x', "after a size");
  }
  return sizes;
}

Integers integers(std::string_view value) {
  if (value.starts_with("dense<")) return dense_integers(value);
  Integers values;
  if (value.starts_with("array<")) {
    const std::string_view content = inner(value);
    const std::size_t colon = content.find(':');
    if (colon == std::string_view::npos) return values;
    Cursor cursor(content, colon + 1);
    do {
      append_nested(cursor, values);
    } while (cursor.accept(','));
    return values;
  }
  Cursor cursor(value);
  append_nested(cursor, values);
  return values;
}

std::int64_t integer(std::string_view value) {
  Cursor cursor(value);
  return cursor.integer();
}

bool boolean(std::string_view value) { return value.empty() || value.starts_with("true"); }

std::string_view word(std::string_view value) {
  if (const std::size_t open = value.find('<'); value.starts_with('#') && open != std::string_view::npos) {
    value = inner(value);
    if (const std::size_t space = value.rfind(' '); space != std::string_view::npos) value = value.substr(space + 1);
  }
  if (value.size() > 1 && value.starts_with('"')) value = value.substr(1, value.size() - 2);
  return trimmed(value);
}

std::vector<std::string_view> parts(std::string_view value) {
  value = trimmed(value);
  if (value.starts_with('[') || value.starts_with('{') || value.starts_with('(')) {
    Cursor whole(value);
    if (whole.bracketed().size() == value.size()) value = inner(value);
  }
  return comma_parts(value);
}

std::vector<std::string_view> comma_parts(std::string_view value) {
  std::vector<std::string_view> found;
  Cursor cursor(value);
  while (cursor.skip_space()) {
    found.push_back(cursor.balanced(","));
    if (!cursor.accept(',')) break;
  }
  return found;
}

std::vector<std::string_view> word_list(std::string_view value) {
  std::vector<std::string_view> words = parts(value);
  for (std::string_view& each : words) each = word(each);
  return words;
}

std::string_view field(std::string_view value, std::string_view name) {
  Cursor cursor(inner(value));
  while (cursor.skip_space()) {
    const std::string_view part = cursor.balanced(",");
    const std::size_t equals = part.find('=');
    if (trimmed(part.substr(0, equals)) == name) {
      return equals == std::string_view::npos ? std::string_view() : trimmed(part.substr(equals + 1));
    }
    if (!cursor.accept(',')) break;
  }
  return {};
}

std::string hex_bytes(std::string_view digits) {
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    const char* end = digits.data() + i + 2;
    const auto [last, error] = std::from_chars(digits.data() + i, end, byte, 16);
    if (error != std::errc() || last != end) throw Fault(0, 1, "expected hexadecimal digits");
    bytes += char(byte);
  }
  return bytes;
}

}  // namespace podsim::hlo::stablehlo
