// SPDX-License-Identifier: Apache-2.0
#include "base/text/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace podsim::base::text {
namespace {

std::size_t sequence_length(unsigned char lead) {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xc0 && lead < 0xe0) return 2;
  return 1;
}

/// The code point of a sequence that utf8_characters() found.
std::uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead;
  std::uint32_t point = lead & (0xffU >> (character.size() + 1));
  for (const char c : character.substr(1)) point = point << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return point;
}

/// False for a stray byte, an encoding longer than necessary, a half of a UTF-16 pair, and what is beyond Unicode.
bool is_character(std::string_view character) {
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};  // by length in bytes
  const std::uint32_t point = code_point(character);
  if (character.size() == 1) return point < 0x80;
  return point >= least[character.size()] && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
}

/// C0 and C1, which steer terminals.
bool is_control(std::uint32_t point) { return point < 0x20 || (point >= 0x7f && point < 0xa0); }

}  // namespace

std::vector<std::string_view> utf8_characters(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t wanted = sequence_length(static_cast<unsigned char>(text[i]));
    std::size_t length = 1;
    while (length < wanted && i + length < text.size() &&
           (static_cast<unsigned char>(text[i + length]) & 0xc0) == 0x80) {
      ++length;
    }
    if (length != wanted) length = 1;
    characters.push_back(text.substr(i, length));
    i += length;
  }
  return characters;
}

std::string printable(std::string_view text) {
  const auto is_plain = [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; };
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  const std::vector<std::string_view> characters = utf8_characters(text);
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const std::string_view character = characters[i];
    const bool before_newline = i + 1 < characters.size() && characters[i + 1] == "\n";
    const bool layout = character == "\n" || character == "\t" || (character == "\r" && before_newline);
    const bool shown = layout || (is_character(character) && !is_control(code_point(character)));
    result += shown ? character : "\uFFFD";
  }
  return result;
}

}  // namespace podsim::base::text
