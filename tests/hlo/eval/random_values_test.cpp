// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/random_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hlo/eval/whole/counter_random.h"
#include "tests/hlo/hlo_text.h"

namespace podsim::hlo::eval {
namespace {

using testing::graph_of_entry;
using testing::literal_of;

/// Known answers from the authors' library Random123 (kat_vectors).
TEST(CounterRandom, ThreeFryHasTheKnownAnswers) {
  using Words = std::array<std::uint32_t, 2>;
  EXPECT_EQ(whole::three_fry({0, 0}, {0, 0}), (Words{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(whole::three_fry({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}), (Words{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(whole::three_fry({0x243f6a88, 0x85a308d3}, {0x13198a2e, 0x03707344}), (Words{0xc4923a9c, 0x483df7a0}));
}

TEST(CounterRandom, PhiloxHasTheKnownAnswers) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(whole::philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(whole::philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(whole::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

Literal generate(const std::string& algorithm, const std::string& state, const std::string& bits,
                 const std::string& values) {
  const Module module = testing::graph_of_entry("s = " + state + " parameter(0)\n  ROOT r = (" + state + ", " + bits +
                                                ") rng-bit-generator(s), algorithm=" + algorithm);
  return evaluate(module, std::vector{testing::literal_of(module.entry_computation()[0].shape, values)});
}

TEST(RngBitGenerator, GivesPhiloxBlocksOneAfterAnother) {
  const Literal result = generate("rng_philox", "u64[3]", "u32[2,3]", "{0, 0, 0}");
  const std::vector<double>& values = result.elements[1].values;
  const auto first = whole::philox({0, 0, 0, 0}, {0, 0}), second = whole::philox({1, 0, 0, 0}, {0, 0});
  EXPECT_EQ(values, (std::vector<double>{double(first[0]), double(first[1]), double(first[2]), double(first[3]),
                                         double(second[0]), double(second[1])}));
  EXPECT_EQ(result.elements[0].integers, (std::vector<std::int64_t>{0, 2, 0}));
  EXPECT_EQ(generate("rng_default", "u64[2]", "u32[4]", "{0, 0}").elements[1].values[3], double(first[3]));
}

TEST(RngBitGenerator, CarriesPhiloxCountersIntoTheUpperHalf) {
  const Literal result = generate("rng_philox", "u64[3]", "u32[8]", "{7, 18446744073709551615, 5}");
  const auto second = whole::philox({0, 0, 6, 0}, {7, 0});
  EXPECT_EQ(result.elements[1].values[4], double(second[0]));
  EXPECT_EQ(result.elements[0].integers, (std::vector<std::int64_t>{7, 1, 6}));
}

// XLA reverses a state of two words: the key is the upper half of the counter as well, and does not change with it.
TEST(RngBitGenerator, TakesTheKeyOfAShortPhiloxStateAsUpperCounter) {
  const Literal result = generate("rng_philox", "u64[2]", "u32[5]", "{55834574851, 18446744073709551615}");
  const std::uint64_t key = 55834574851;  // 13 * 2^32 + 3
  const auto first = whole::philox({0xffffffff, 0xffffffff, 3, 13}, {3, 13}),
             second = whole::philox({0, 0, 4, 13}, {3, 13});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(result.elements[1].values[i], double(first[i]));
  EXPECT_EQ(result.elements[1].values[4], double(second[0]));
  EXPECT_EQ(result.elements[0].integers, (std::vector<std::int64_t>{std::int64_t(key), 1}));
  // The same words in halves.
  const Literal halves = generate("rng_default", "u32[4]", "u32[5]", "{3, 13, 4294967295, 4294967295}");
  EXPECT_EQ(halves.elements[1].values, result.elements[1].values);
  EXPECT_EQ(halves.elements[0].values, (std::vector<double>{3, 13, 1, 0}));
}

TEST(RngBitGenerator, GivesThreeFryWordsInTurnAlongTheFirstEvenDimension) {
  const Literal result = generate("rng_three_fry", "u64[2]", "u32[3,4]", "{9, 100}");
  for (std::uint32_t row = 0; row < 3; ++row) {
    for (std::uint32_t column = 0; column < 4; ++column) {
      const auto words = whole::three_fry({100 + row * 2 + column / 2, 0}, {9, 0});
      EXPECT_EQ(result.elements[1].values[row * 4 + column], double(words[column % 2]));
    }
  }
  EXPECT_EQ(result.elements[0].integers, (std::vector<std::int64_t>{9, 106}));
}

TEST(RngBitGenerator, JoinsWordsToLongerOnes) {
  const Literal result = generate("rng_three_fry", "u64[2]", "u64[2]", "{9, 100}");
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto words = whole::three_fry({100 + i, 0}, {9, 0});
    EXPECT_EQ(std::uint64_t(result.elements[1].integers[i]), std::uint64_t(words[1]) << 32 | words[0]);
  }
}

TEST(Rng, DrawsWithinItsDistributionAndByItsSeed) {
  const Module uniform = testing::graph_of_entry(R"(
    a = f32[] constant(2)
    b = f32[] constant(5)
    ROOT r = f32[4000] rng(a, b), distribution=rng_uniform)");
  EvaluationHost host;
  host.seed = 1;
  const Literal x = evaluate(uniform, {}, host), again = evaluate(uniform, {}, host);
  EXPECT_TRUE(same_values(x, again));
  host.seed = 2;
  EXPECT_FALSE(same_values(x, evaluate(uniform, {}, host)));
  double mean = 0;
  for (const double value : x.values) {
    EXPECT_GE(value, 2);
    EXPECT_LT(value, 5);
    mean += value / 4000;
  }
  EXPECT_NEAR(mean, 3.5, 5 * 3 / std::sqrt(12.0 * 4000));  // five standard errors

  const Module normal = testing::graph_of_entry(R"(
    a = f32[] constant(1)
    b = f32[] constant(2)
    ROOT r = f32[4000] rng(a, b), distribution=rng_normal)");
  double sum = 0, squares = 0;
  for (const double value : evaluate(normal, {}, host).values) {
    sum += value;
    squares += (value - 1) * (value - 1);
  }
  EXPECT_NEAR(sum / 4000, 1, 5 * 2 / std::sqrt(4000.0));
  EXPECT_NEAR(squares / 4000, 4, 5 * 4 * std::sqrt(2 / 4000.0));
}

}  // namespace
}  // namespace podsim::hlo::eval
