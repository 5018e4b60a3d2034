// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/random_values.h"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "hlo/eval/bit_pattern.h"
#include "hlo/eval/index_space.h"
#include "hlo/eval/whole/counter_random.h"

namespace podsim::hlo::eval {

namespace {

using Words = std::array<std::uint32_t, 2>;

std::uint32_t low(std::uint64_t value) { return std::uint32_t(value); }
std::uint32_t high(std::uint64_t value) { return std::uint32_t(value >> 32); }
std::uint64_t joined_words(std::uint32_t low_word, std::uint32_t high_word) {
  return std::uint64_t(high_word) << 32 | low_word;
}

/// The state as 64-bit words: a key, then a counter. The elements of the state may be those or pairs of 32-bit words.
std::vector<std::uint64_t> words_of(const Literal& state) {
  const ElementType type = state.shape.element_type;
  const int bits = element_types()[std::size_t(type)].bits;
  const std::int64_t count = state.shape.element_count();
  if (!is_integer(type) || (bits != 32 && bits != 64)) throw std::logic_error("the state is of 32- or 64-bit integers");
  std::vector<std::uint64_t> words;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t word = bits_of(type, element_of(state, i));
    if (bits == 64 || i % 2 == 0) {
      words.push_back(word);
    } else {
      words.back() |= word << 32;
    }
  }
  if (words.size() < 2) throw std::logic_error("the state is a key and a counter");
  return words;
}

Literal state_of(const Literal& old, const std::vector<std::uint64_t>& words) {
  Literal state = make_zeros(old.shape);
  const ElementType type = old.shape.element_type;
  const bool wide = is_wide(type);
  const std::int64_t count = old.shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto word = std::size_t(wide ? i : i / 2);
    const std::uint64_t bits = word < words.size() ? words[word] : 0;
    set_element(state, i, element_from_bits(type, wide || i % 2 == 0 ? bits : bits >> 32));
  }
  return state;
}

/// Dimension along which ThreeFry's two words alternate.
std::size_t split_dimension(const std::vector<std::int64_t>& sizes) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] % 2 == 0) return i;
    if (sizes[i] > sizes[largest]) largest = i;
  }
  return largest;
}

void fill_by_three_fry(Literal& bits, std::vector<std::uint64_t>& state) {
  const ElementType type = bits.shape.element_type;
  const Words key{low(state[0]), high(state[0])};
  const std::int64_t count = bits.shape.element_count();
  const auto draw = [&](std::uint64_t place) {
    const std::uint64_t counter = state[1] + place;
    return whole::three_fry({low(counter), high(counter)}, key);
  };
  if (element_types()[std::size_t(type)].bits == 64) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Words words = draw(std::uint64_t(i));
      set_element(bits, i, element_from_bits(type, joined_words(words[0], words[1])));
    }
    state[1] += std::uint64_t(count);
    return;
  }
  std::vector<std::int64_t> halves = bits.shape.dimensions;
  if (halves.empty()) halves = {1};
  const std::size_t split = split_dimension(halves);
  halves[split] = (halves[split] + 1) / 2;
  const std::vector<std::int64_t> strides = row_major_strides(halves);
  std::int64_t i = 0;
  for_each_index(bits.shape.dimensions, [&](const std::vector<std::int64_t>& index) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < index.size(); ++d) place += (d == split ? index[d] / 2 : index[d]) * strides[d];
    const Words words = draw(std::uint64_t(place));
    const bool odd = !index.empty() && index[split] % 2 == 1;
    set_element(bits, i++, element_from_bits(type, odd ? words[1] : words[0]));
  });
  std::int64_t drawn = 1;
  for (const std::int64_t size : halves) drawn *= size;
  state[1] += std::uint64_t(drawn);
}

/// A 128-bit counter.
struct Counter {
  std::uint64_t lower, upper;
  void add(std::uint64_t count) {
    lower += count;
    upper += lower < count ? 1 : 0;
  }
  std::array<std::uint32_t, 4> words() const { return {low(lower), high(lower), low(upper), high(upper)}; }
};

/// The key is word 0, the counter words 1 and 2. A state of two words has the key as the counter's upper word too, and
/// keeps only the lower one.
void fill_by_philox(Literal& bits, std::vector<std::uint64_t>& state) {
  const ElementType type = bits.shape.element_type;
  const Words key{low(state[0]), high(state[0])};
  const bool has_upper = state.size() > 2;
  Counter counter{state[1], has_upper ? state[2] : state[0]};
  const bool wide = element_types()[std::size_t(type)].bits == 64;
  const int per_block = wide ? 2 : 4;
  const std::int64_t count = bits.shape.element_count();
  std::array<std::uint32_t, 4> words{};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = std::size_t(i % per_block);
    if (at == 0) {
      words = whole::philox(counter.words(), key);
      counter.add(1);
    }
    const std::uint64_t value = wide ? joined_words(words[2 * at], words[2 * at + 1]) : words[at];
    set_element(bits, i, element_from_bits(type, value));
  }
  state[1] = counter.lower;
  if (has_upper) state[2] = counter.upper;
}

/// A number in [0, 1) with 53 random bits.
double unit(std::uint32_t a, std::uint32_t b) { return double(joined_words(a, b) >> 11) * 0x1p-53; }

Element uniform_element(ElementType type, const std::array<std::uint32_t, 4>& words, Element a, Element b) {
  if (!is_integer(type) && type != ElementType::pred) {
    const double number = round_to(type, a.number + (b.number - a.number) * unit(words[0], words[1]));
    return {number < b.number ? number : a.number, 0};
  }
  const std::int64_t first = integer_of(type, a);
  const std::uint64_t range = std::uint64_t(integer_of(type, b)) - std::uint64_t(first);
  const std::uint64_t draw = joined_words(words[0], words[1]);
  return integer_element(type, std::int64_t(std::uint64_t(first) + (range == 0 ? draw : draw % range)));
}

/// Box-Muller transform.
Element normal_element(ElementType type, const std::array<std::uint32_t, 4>& words, Element mean, Element deviation) {
  const double radius = std::sqrt(-2 * std::log(1 - unit(words[0], words[1])));
  const double number = radius * std::cos(2 * std::numbers::pi * unit(words[2], words[3]));
  return {round_to(type, mean.number + deviation.number * number), 0};
}

}  // namespace

Literal evaluate_rng_bit_generator(const Instruction& instruction, const Literal& state) {
  const Shape& shape = instruction.shape;
  std::vector<std::uint64_t> words = words_of(state);
  Literal bits = make_zeros(shape.is_tuple() ? shape.tuple_shapes[1] : shape);
  if (instruction.target == "rng_three_fry") {
    fill_by_three_fry(bits, words);
  } else {
    fill_by_philox(bits, words);
  }
  if (!shape.is_tuple()) return bits;
  Literal result{shape, {}, {}};
  result.elements.push_back(state_of(state, words));
  result.elements.push_back(std::move(bits));
  return result;
}

Literal evaluate_rng(const Instruction& instruction, const Literal& a, const Literal& b, std::uint64_t seed,
                     std::uint64_t stream) {
  Literal result = make_zeros(instruction.shape);
  const ElementType type = result.shape.element_type;
  const bool normal = instruction.target == "rng_normal";
  if (normal && !is_floating_point(type)) throw std::logic_error("a normal distribution is of real numbers");
  const Element first = element_of(a, 0), second = element_of(b, 0);
  const std::int64_t count = result.shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto words = whole::philox({low(std::uint64_t(i)), high(std::uint64_t(i)), low(stream), high(stream)},
                                     {low(seed), high(seed)});
    set_element(result, i,
                normal ? normal_element(type, words, first, second) : uniform_element(type, words, first, second));
  }
  return result;
}

}  // namespace podsim::hlo::eval
