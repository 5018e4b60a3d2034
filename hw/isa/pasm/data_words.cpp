// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/data_words.h"

#include <bit>
#include <cmath>
#include <limits>

namespace podsim::hw::isa::pasm {
namespace {

using Kind = DataItem::Kind;
using Words = std::vector<std::uint32_t>;

std::uint32_t f32_bits(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

/// The upper half of an f32 rounded to nearest even; NaN stays NaN.
std::uint32_t bf16_bits(std::uint32_t f32) {
  if ((f32 & 0x7fffffff) > 0x7f800000) return f32 >> 16 | 0x40;
  return (f32 + 0x7fff + (f32 >> 16 & 1)) >> 16;
}

std::int64_t words_of(ElementType type, std::int64_t elements) {
  return type == ElementType::bf16 ? (elements + 1) / 2 : elements;
}

/// Packs elements into words: two bf16 to a word.
Words packed(ElementType type, Words elements) {
  if (type != ElementType::bf16) return elements;
  Words words((elements.size() + 1) / 2);
  for (std::size_t i = 0; i < elements.size(); ++i) words[i / 2] |= bf16_bits(elements[i]) << i % 2 * 16;
  return words;
}

}  // namespace

std::uint64_t SplitMix64::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

std::optional<std::int64_t> DataWords::count(std::span<const DataItem> items) {
  std::int64_t total = 0;
  bool known = true;
  for (const DataItem& item : items) {
    std::optional<std::int64_t> words = count(item);
    known = known && words;
    if (!known) continue;
    total += *words;
    if (total <= max_data_words) continue;
    report_.error(item.span, "a program's data are at most 67108864 words, these are more");
    known = false;
  }
  return known ? std::optional(total) : std::nullopt;
}

std::optional<std::int64_t> DataWords::count(const DataItem& item) {
  if (item.kind == Kind::values) return words_of(item.type, std::int64_t(item.arguments.size()));
  std::optional<std::int64_t> count_given = evaluator_.integer(item.arguments[0], "a count", 0, max_data_words);
  if (item.kind != Kind::repeat) return count_given ? std::optional(words_of(item.type, *count_given)) : std::nullopt;
  std::optional<std::int64_t> each = count(item.items);
  return count_given && each ? std::optional(*count_given * *each) : std::nullopt;
}

void DataWords::append(std::span<const DataItem> items, Words& words) {
  for (const DataItem& item : items) append(item, words);
}

void DataWords::append(const DataItem& item, Words& words) {
  Words more;
  if (item.kind == Kind::repeat) {
    Words once;
    append(item.items, once);
    auto count = evaluator_.integer(item.arguments[0], "a count", 0, max_data_words);
    for (std::int64_t i = 0; i < count.value_or(0) && !once.empty(); ++i)
      more.insert(more.end(), once.begin(), once.end());
  } else {
    more = packed(item.type, elements(item));
  }
  words.insert(words.end(), more.begin(), more.end());
}

Words DataWords::elements(const DataItem& item) {
  if (item.kind == Kind::values) return listed(item);
  auto given = evaluator_.integer(item.arguments[0], "a count", 0, max_data_words);
  auto count = std::size_t(given.value_or(0));
  switch (item.kind) {
    case Kind::fill:
      return filled(item, count);
    case Kind::iota:
      return counted(item, count);
    case Kind::random:
      return random(item, count);
    default:
      return Words(count);
  }
}

std::optional<std::uint32_t> DataWords::element(ElementType type, const Expression& expression) {
  if (type != ElementType::word) return evaluator_.f32(expression);
  std::optional<Number> number = evaluator_.number(expression);
  if (!number) return std::nullopt;
  if (!number->is_real) return evaluator_.word(expression);
  report_.error(expression.span, "a whole number is due here", "numbers with a fraction follow .f32 or .bf16");
  return std::nullopt;
}

Words DataWords::listed(const DataItem& item) {
  Words words;
  for (const Expression& argument : item.arguments) words.push_back(element(item.type, argument).value_or(0));
  return words;
}

Words DataWords::filled(const DataItem& item, std::size_t count) {
  return Words(count, element(item.type, item.arguments[1]).value_or(0));
}

Words DataWords::counted(const DataItem& item, std::size_t count) {
  Words words(count);
  const std::vector<Expression>& arguments = item.arguments;
  if (item.type == ElementType::word) {
    std::uint32_t first = arguments.size() > 1 ? element(item.type, arguments[1]).value_or(0) : 0;
    std::uint32_t step = arguments.size() > 2 ? element(item.type, arguments[2]).value_or(0) : 1;
    for (std::size_t i = 0; i < count; ++i) words[i] = first + std::uint32_t(i) * step;
    return words;
  }
  double first = arguments.size() > 1 ? evaluator_.real(arguments[1], "the first value").value_or(0) : 0;
  double step = arguments.size() > 2 ? evaluator_.real(arguments[2], "the step").value_or(0) : 1;
  for (std::size_t i = 0; i < count; ++i) words[i] = f32_bits(first + double(i) * step);
  return words;
}

Words DataWords::random(const DataItem& item, std::size_t count) {
  Words words(count);
  const std::vector<Expression>& arguments = item.arguments;
  constexpr std::int64_t max_seed = std::numeric_limits<std::int64_t>::max();
  SplitMix64 generator(std::uint64_t(evaluator_.integer(arguments[1], "a seed", 0, max_seed).value_or(0)));
  if (item.type == ElementType::word) {
    constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min(), most = std::int64_t(1) << 32;
    std::int64_t low = 0, high = most;
    if (arguments.size() > 2) low = evaluator_.integer(arguments[2], "the lowest value", least, most).value_or(0);
    if (arguments.size() > 2) high = evaluator_.integer(arguments[3], "the end of the range", low, most).value_or(low);
    auto range = std::uint64_t(std::min(high - low, most));
    for (std::uint32_t& word : words) {
      word = std::uint32_t(std::uint64_t(low) + ((generator.next() >> 32) * range >> 32));
    }
    return words;
  }
  double low = arguments.size() > 2 ? evaluator_.real(arguments[2], "the lowest value").value_or(0) : -1;
  double high = arguments.size() > 2 ? evaluator_.real(arguments[3], "the end of the range").value_or(0) : 1;
  for (std::uint32_t& word : words)
    word = f32_bits(low + (high - low) * std::ldexp(double(generator.next() >> 40), -24));
  return words;
}

}  // namespace podsim::hw::isa::pasm
