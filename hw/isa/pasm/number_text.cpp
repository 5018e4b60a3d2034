// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace podsim::hw::isa::pasm {
namespace {

constexpr std::size_t words_of_a_line = 8;
constexpr std::size_t shortest_run = 4;

/// Reads a float as the assembler does, through double.
std::uint32_t bits_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::string finite_text(float value) {
  std::string text = fmt::format("{}", value);
  bool whole = text.find_first_of(".e") == std::string::npos;
  return whole ? text + ".0" : text;
}

std::size_t run_length(std::span<const std::uint32_t> words) {
  auto end = std::find_if(words.begin(), words.end(), [&](std::uint32_t word) { return word != words.front(); });
  return std::size_t(end - words.begin());
}

std::string run_text(std::uint32_t word, std::size_t count) {
  if (word == 0) return fmt::format("  .zeros {}\n", count);
  if (looks_like_f32(word)) return fmt::format("  .fill f32, {}, {}\n", count, f32_text(word));
  return fmt::format("  .fill word, {}, {}\n", count, integer_text(std::int32_t(word)));
}

std::string line_text(std::span<const std::uint32_t> words) {
  auto float_or_zero = [](std::uint32_t word) { return word == 0 || looks_like_f32(word); };
  bool floats =
      std::all_of(words.begin(), words.end(), float_or_zero) && std::any_of(words.begin(), words.end(), looks_like_f32);
  std::string text = floats ? "  .f32 " : "  .word ";
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : ", ";
    text += floats ? f32_text(words[i]) : integer_text(std::int32_t(words[i]));
  }
  return text + "\n";
}

}  // namespace

std::string integer_text(std::int32_t value) {
  if (value >= -65536 && value <= 65536) return fmt::format("{}", value);
  return fmt::format("0x{:x}", std::uint32_t(value));
}

std::string f32_text(std::uint32_t bits) {
  float value = std::bit_cast<float>(bits);
  if (bits == 0x7fc00000) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = std::isnan(value) ? "" : finite_text(value);
  return !text.empty() && bits_of(text) == bits ? text : fmt::format("0f{:08x}", bits);
}

bool looks_like_f32(std::uint32_t bits) {
  float magnitude = std::fabs(std::bit_cast<float>(bits));
  if (!(magnitude >= 1e-6F && magnitude <= 1e9F)) return std::isinf(magnitude);
  return f32_text(bits).size() <= 8;
}

std::string word_text(std::uint32_t bits) {
  return looks_like_f32(bits) ? f32_text(bits) : integer_text(std::int32_t(bits));
}

std::string data_text(std::span<const std::uint32_t> words) {
  std::string text;
  while (!words.empty()) {
    std::size_t run = run_length(words);
    if (run >= shortest_run) {
      text += run_text(words.front(), run);
      words = words.subspan(run);
      continue;
    }
    std::size_t count = 0;
    while (count < std::min(words.size(), words_of_a_line) && run_length(words.subspan(count)) < shortest_run) ++count;
    text += line_text(words.first(count));
    words = words.subspan(count);
  }
  return text;
}

}  // namespace podsim::hw::isa::pasm
