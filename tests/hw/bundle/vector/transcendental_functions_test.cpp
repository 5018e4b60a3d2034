// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/transcendental_functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hw/bundle/vector/vector_functions.h"
#include "hw/bundle/vector/vector_kernels.h"
#include "tests/hw/bundle/random_register.h"

namespace podsim::hw::bundle::vector {
namespace {

using isa::Opcode;
using Word = std::uint32_t;
using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64, "the reference needs more bits than the double inside");

struct Function {
  isa::Opcode opcode;
  std::string name;
  Real (*exact)(Real);
  double bound;  ///< units in the last place that the header promises
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {isa::Opcode::e_exp, "exp", [](Real x) { return std::exp(x); }, 1},
      {isa::Opcode::e_log, "log", [](Real x) { return std::log(x); }, 1},
      {isa::Opcode::e_tanh, "tanh", [](Real x) { return std::tanh(x); }, 1},
      {isa::Opcode::e_rsqrt, "rsqrt", [](Real x) { return 1 / std::sqrt(x); }, 1.5},
      {isa::Opcode::e_sqrt, "sqrt", [](Real x) { return std::sqrt(x); }, 0.5},
      {isa::Opcode::e_recip, "recip", [](Real x) { return 1 / x; }, 0.5},
  };
  return all;
}

/// Distance in units in the last place of the exact value: the gap between the two f32 around it.
double error_in_ulp(Word found, Real exact) {
  const float value = std::bit_cast<float>(found);
  if (std::isnan(exact) || std::isnan(value)) return std::isnan(exact) && found == 0x7fc00000 ? 0 : HUGE_VAL;
  const float nearest = float(exact);
  if (value == nearest) return std::signbit(value) == std::signbit(nearest) ? 0.5 : HUGE_VAL;
  if (std::isinf(value) || std::isinf(nearest)) return HUGE_VAL;
  const int exponent = std::max(std::ilogb(nearest), -126);
  return double(std::abs(Real(value) - exact) / std::ldexp(Real(1), exponent - 23));
}

/// The greatest error over the words that `next` gives, a register at a time, of the fastest instruction set; the
/// others are held to the same words.
template <class Next>
double greatest_error(const Function& function, int registers, Next next) {
  double greatest = 0;
  for (int r = 0; r < registers; ++r) {
    VectorRegister y, d, other;
    for (Word& w : y.words) w = next();
    transcendental_operation(function.opcode, d, y);
    for (const VectorKernels& kernels : vector_kernels()) {
      kernels.transcendental(function.opcode, other, y);
      EXPECT_EQ(other.words, d.words) << kernels.name << " " << function.name;
    }
    for (std::size_t i = 0; i < register_words; ++i) {
      const Real exact = function.exact(std::bit_cast<float>(y.words[i]));
      greatest = std::max(greatest, error_in_ulp(d.words[i], exact));
    }
  }
  return greatest;
}

TEST(TranscendentalFunctions, KeepTheirBoundsOverAllOfF32) {
  for (const Function& function : functions()) {
    Word word = 0x1234567;
    const double error = greatest_error(function, 150, [&] { return word += 27'961; });  // coprime to 2^32: never twice
    EXPECT_LE(error, function.bound) << function.name;
  }
}

TEST(TranscendentalFunctions, KeepTheirBoundsWhereTheyChangeMost) {
  // Dense in value: exp to beyond both ends, tanh until it is 1, log around 1, where it vanishes.
  const std::vector<std::pair<isa::Opcode, std::pair<double, double>>> ranges = {
      {isa::Opcode::e_exp, {-104, 89}}, {isa::Opcode::e_tanh, {-10, 10}},    {isa::Opcode::e_tanh, {-0.4, 0.4}},
      {isa::Opcode::e_log, {0.5, 2}},   {isa::Opcode::e_rsqrt, {0.25, 4}},   {isa::Opcode::e_sqrt, {0.25, 4}},
      {isa::Opcode::e_recip, {-4, 4}},  {isa::Opcode::e_exp, {-0.01, 0.01}},
  };
  std::mt19937 random(3);
  for (const auto& [opcode, range] : ranges) {
    for (const Function& function : functions()) {
      if (function.opcode != opcode) continue;
      std::uniform_real_distribution<double> uniform(range.first, range.second);
      const double error = greatest_error(function, 60, [&] { return std::bit_cast<Word>(float(uniform(random))); });
      EXPECT_LE(error, function.bound) << function.name << " from " << range.first << " to " << range.second;
    }
  }
}

TEST(TranscendentalFunctions, TheRootAndTheReciprocalAreRoundedExactly) {
  // By way of double the rounding is as if once: 53 >= 2 * 24 + 2 bits.
  RandomWords random(1);
  for (int round = 0; round < 50; ++round) {
    const VectorRegister y = random.vector();
    VectorRegister root, reciprocal;
    transcendental_operation(isa::Opcode::e_sqrt, root, y);
    transcendental_operation(isa::Opcode::e_recip, reciprocal, y);
    for (std::size_t i = 0; i < register_words; ++i) {
      const double x = double(std::bit_cast<float>(y.words[i]));
      const auto expected = [](double value) {
        return std::isnan(value) ? Word(0x7fc00000) : std::bit_cast<Word>(float(value));
      };
      ASSERT_EQ(root.words[i], expected(std::sqrt(x))) << x;
      ASSERT_EQ(reciprocal.words[i], expected(1 / x)) << x;
    }
  }
}

TEST(TranscendentalFunctions, TheEndsAreThoseOfIEEE754) {
  constexpr float inf = HUGE_VALF, nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float least = std::numeric_limits<float>::denorm_min(), most = std::numeric_limits<float>::max();
  struct Point {
    isa::Opcode opcode;
    float y, expected;
  };
  const std::vector<Point> points = {
      {isa::Opcode::e_exp, 0, 1},
      {isa::Opcode::e_exp, -0.0F, 1},
      {isa::Opcode::e_exp, least, 1},
      {isa::Opcode::e_exp, inf, inf},
      {isa::Opcode::e_exp, -inf, 0},
      {isa::Opcode::e_exp, most, inf},
      {isa::Opcode::e_exp, -most, 0},
      {isa::Opcode::e_exp, 88.73F, inf},     // above the logarithm of the largest
                                             // f32, 88.7228
      {isa::Opcode::e_exp, -103.2F, least},  // e^-103.2 = 2^-148.9
      {isa::Opcode::e_exp, -103.98F, 0},     // below half of the least, 2^-150 = e^-103.972
      {isa::Opcode::e_log, 0, -inf},
      {isa::Opcode::e_log, -0.0F, -inf},
      {isa::Opcode::e_log, 1, 0},
      {isa::Opcode::e_log, inf, inf},
      {isa::Opcode::e_log, -1, nan},
      {isa::Opcode::e_log, -least, nan},
      {isa::Opcode::e_log, -inf, nan},
      {isa::Opcode::e_tanh, 0, 0},
      {isa::Opcode::e_tanh, -0.0F, -0.0F},
      {isa::Opcode::e_tanh, least, least},
      {isa::Opcode::e_tanh, -least, -least},
      {isa::Opcode::e_tanh, inf, 1},
      {isa::Opcode::e_tanh, -inf, -1},
      {isa::Opcode::e_tanh, most, 1},
      {isa::Opcode::e_rsqrt, 0, inf},
      {isa::Opcode::e_rsqrt, -0.0F, -inf},
      {isa::Opcode::e_rsqrt, inf, 0},
      {isa::Opcode::e_rsqrt, 4, 0.5F},
      {isa::Opcode::e_rsqrt, -1, nan},
      {isa::Opcode::e_rsqrt, -least, nan},
      {isa::Opcode::e_sqrt, 0, 0},
      {isa::Opcode::e_sqrt, -0.0F, -0.0F},
      {isa::Opcode::e_sqrt, inf, inf},
      {isa::Opcode::e_sqrt, 9, 3},
      {isa::Opcode::e_sqrt, -1, nan},
      {isa::Opcode::e_recip, 0, inf},
      {isa::Opcode::e_recip, -0.0F, -inf},
      {isa::Opcode::e_recip, inf, 0},
      {isa::Opcode::e_recip, -inf, -0.0F},
      {isa::Opcode::e_recip, least, inf},
      {isa::Opcode::e_recip, 0.125F, 8},
  };
  for (const Point& point : points) {
    VectorRegister y, d;
    fill(y, std::bit_cast<Word>(point.y));
    transcendental_operation(point.opcode, d, y);
    EXPECT_EQ(d.words[5], std::isnan(point.expected) ? 0x7fc00000 : std::bit_cast<Word>(point.expected))
        << "opcode " << int(point.opcode) << " of " << point.y;
  }
  for (const Function& function : functions()) {
    for (Word not_a_number : {0x7fc00000U, 0xffc00001U, 0x7f800001U, 0xffffffffU}) {
      VectorRegister y, d;
      fill(y, not_a_number);
      transcendental_operation(function.opcode, d, y);
      EXPECT_EQ(d.words[1023], 0x7fc00000U) << function.name;
    }
  }
}

TEST(TranscendentalFunctions, TheDestinationMayBeTheOperand) {
  for (const Function& function : functions()) {
    for (const VectorKernels& kernels : vector_kernels()) {
      const VectorRegister y = RandomWords(4).vector();
      VectorRegister d, is_y = y;
      kernels.transcendental(function.opcode, d, y);
      kernels.transcendental(function.opcode, is_y, is_y);
      EXPECT_EQ(is_y.words, d.words) << kernels.name << " " << function.name;
    }
  }
}

TEST(TranscendentalFunctions, ExpNeverFallsWhereItsReductionStepsAndTanhIsOdd) {
  // Around the points where the reduction goes to the next integer: a step there would show as a fall.
  for (int n = -140; n <= 120; ++n) {
    const double middle = (n + 0.5) * 0.6931471805599453;
    VectorRegister y, d;
    for (int i = 0; i < register_words; ++i)
      y.words[std::size_t(i)] = std::bit_cast<Word>(float(middle + (i - 512) * 1e-4));
    transcendental_operation(isa::Opcode::e_exp, d, y);
    for (std::size_t i = 1; i < register_words; ++i) {
      ASSERT_LE(std::bit_cast<float>(d.words[i - 1]), std::bit_cast<float>(d.words[i])) << middle;
    }
    VectorRegister negative = y, mirrored;
    for (Word& w : negative.words) w ^= 0x80000000;
    transcendental_operation(isa::Opcode::e_tanh, d, y);
    transcendental_operation(isa::Opcode::e_tanh, mirrored, negative);
    for (std::size_t i = 0; i < register_words; ++i) ASSERT_EQ(mirrored.words[i] ^ 0x80000000, d.words[i]);
  }
}

}  // namespace
}  // namespace podsim::hw::bundle::vector
