// SPDX-License-Identifier: Apache-2.0
// Complex numbers and Fourier transforms in the evaluator, against their definitions.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>

#include "hlo/eval/evaluator.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::eval {
namespace {

using Number = std::complex<double>;

std::vector<Number> numbers_of(const Literal& literal) {
  std::vector<Number> numbers;
  for (std::size_t i = 0; i + 1 < literal.values.size(); i += 2) {
    numbers.emplace_back(literal.values[i], literal.values[i + 1]);
  }
  return numbers;
}

Literal random_numbers(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  Literal literal = make_zeros(shape);
  for (double& value : literal.values) value = double(random() % 1000) / 500 - 1;
  return literal;
}

Literal result_of(const std::string& body, const std::vector<Literal>& arguments) {
  return evaluate(text::testing::graph_of("HloModule m\nsum {\n  a = c128[] parameter(0)\n  b = c128[] parameter(1)\n"
                                          "  ROOT c = c128[] add(a, b)\n}\nENTRY main {\n" +
                                          body + "}\n"),
                  arguments);
}

/// The transform by its definition.
std::vector<Number> transform(const std::vector<Number>& x, double direction) {
  const std::size_t size = x.size();
  std::vector<Number> result(size);
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t n = 0; n < size; ++n) {
      result[k] += x[n] * std::polar(1.0, direction * 2 * std::numbers::pi * double(n * k % size) / double(size));
    }
    if (direction > 0) result[k] /= double(size);
  }
  return result;
}

void expect_numbers(const std::vector<Number>& actual, const std::vector<Number>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_LT(std::abs(actual[i] - expected[i]), 1e-12) << i;
}

TEST(ComplexEvaluation, TransformsOfAllLengthsAreTheSumsOfTheirDefinition) {
  for (const int length : {1, 2, 3, 7, 8, 12, 30, 64}) {
    SCOPED_TRACE(length);
    const std::string n = std::to_string(length), half = std::to_string(length / 2 + 1);
    const Literal x = random_numbers(make_shape(ElementType::c128, {length}), 1);
    for (const bool inverse : {false, true}) {
      const std::string type = inverse ? "IFFT" : "FFT";
      expect_numbers(numbers_of(result_of("  x = c128[" + n + "] parameter(0)\n  ROOT y = c128[" + n +
                                              "] fft(x), fft_type=" + type + ", fft_length={" + n + "}\n",
                                          {x})),
                     transform(numbers_of(x), inverse ? 1 : -1));
    }
    const Literal real = random_numbers(make_shape(ElementType::f64, {length}), 2);
    std::vector<Number> wanted = transform(std::vector<Number>(real.values.begin(), real.values.end()), -1);
    wanted.resize(std::size_t(length / 2 + 1));
    const std::string forward =
        "  x = f64[" + n + "] parameter(0)\n  y = c128[" + half + "] fft(x), fft_type=RFFT, fft_length={" + n + "}\n";
    expect_numbers(numbers_of(result_of(forward + "  ROOT z = c128[" + half + "] copy(y)\n", {real})), wanted);
    const Literal back =
        result_of(forward + "  ROOT z = f64[" + n + "] fft(y), fft_type=IRFFT, fft_length={" + n + "}\n", {real});
    for (int i = 0; i < length; ++i) EXPECT_NEAR(back.values[std::size_t(i)], real.values[std::size_t(i)], 1e-12);
  }
}

// A transform of two dimensions is one of rows, then one of columns.
TEST(ComplexEvaluation, TransformsOfTwoDimensionsAreThoseOfRowsAndColumns) {
  const Literal x = random_numbers(make_shape(ElementType::c128, {2, 3, 4}), 3);
  const std::string parameter = "  x = c128[2,3,4] parameter(0)\n";
  const auto both =
      numbers_of(result_of(parameter + "  ROOT y = c128[2,3,4] fft(x), fft_type=FFT, fft_length={3,4}\n", {x}));
  const auto in_turn = numbers_of(
      result_of(parameter + "  a = c128[2,3,4] fft(x), fft_type=FFT, fft_length={4}\n  b = c128[2,4,3] transpose(a), "
                            "dimensions={0,2,1}\n  c = c128[2,4,3] fft(b), fft_type=FFT, fft_length={3}\n"
                            "  ROOT d = c128[2,3,4] transpose(c), dimensions={0,2,1}\n",
                {x}));
  expect_numbers(both, in_turn);
}

TEST(ComplexEvaluation, ElementsProductsAndSumsAreThoseOfTheirParts) {
  const Literal x = random_numbers(make_shape(ElementType::c128, {2, 2}), 4);
  const Literal y = random_numbers(make_shape(ElementType::c128, {2, 2}), 5);
  const std::vector<Number> a = numbers_of(x), b = numbers_of(y);
  const auto value = [&](const std::string& operation) {
    return result_of("  x = c128[2,2] parameter(0)\n  y = c128[2,2] parameter(1)\n" + operation, {x, y});
  };
  const auto each = [&](const std::string& operation, const auto& function) {
    std::vector<Number> wanted;
    for (std::size_t i = 0; i < 4; ++i) wanted.push_back(function(a[i], b[i]));
    expect_numbers(numbers_of(value("  ROOT r = c128[2,2] " + operation + "\n")), wanted);
  };
  each("multiply(x, y)", [](Number p, Number q) {
    return Number(p.real() * q.real() - p.imag() * q.imag(), p.real() * q.imag() + p.imag() * q.real());
  });
  each("exponential(x)",
       [](Number p, Number) { return std::exp(p.real()) * Number(std::cos(p.imag()), std::sin(p.imag())); });
  expect_numbers(numbers_of(value("  q = c128[2,2] divide(x, y)\n  ROOT r = c128[2,2] multiply(q, y)\n")), a);
  expect_numbers(numbers_of(value("  q = c128[2,2] sqrt(x)\n  ROOT r = c128[2,2] multiply(q, q)\n")), a);
  expect_numbers(numbers_of(value("  q = c128[2,2] log(x)\n  ROOT r = c128[2,2] exponential(q)\n")), a);
  expect_numbers(
      numbers_of(value("  p = f64[2,2] real(x)\n  q = f64[2,2] imag(x)\n  ROOT r = c128[2,2] complex(p, q)\n")), a);
  expect_numbers(
      numbers_of(value("  ROOT r = c128[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n")),
      {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]});
  expect_numbers(numbers_of(value(
                     "  z = c128[] constant((0, 0))\n  ROOT r = c128[2] reduce(x, z), dimensions={0}, to_apply=sum\n")),
                 {a[0] + a[2], a[1] + a[3]});
  const Literal absolute = value("  ROOT r = f64[2,2] abs(x)\n");
  const Literal equal =
      value("  s = c128[2,2] slice(x), slice={[0:2], [0:2]}\n  ROOT r = pred[2,2] compare(x, s), direction=EQ\n");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(absolute.values[i], std::hypot(a[i].real(), a[i].imag()), 1e-12);
    EXPECT_EQ(equal.values[i], 1);
  }
  EXPECT_THROW(value("  ROOT r = c128[2,2] floor(x)\n"), std::logic_error);
}

// The specification of StableHLO compares (real part, imaginary part) of complex numbers lexicographically.
TEST(ComplexEvaluation, MaximaCompareTheRealPartsFirst) {
  const auto value = [](const std::string& root) {
    return numbers_of(
        result_of("  x = c128[4] constant({(1, 2), (1, 2), (-3, 9), (0, -1)})\n"
                  "  y = c128[4] constant({(1, 3), (2, -5), (-4, 0), (0, -1)})\n" +
                      root,
                  {}));
  };
  expect_numbers(value("  ROOT r = c128[4] maximum(x, y)\n"), {{1, 3}, {2, -5}, {-3, 9}, {0, -1}});
  expect_numbers(value("  ROOT r = c128[4] minimum(x, y)\n"), {{1, 2}, {1, 2}, {-4, 0}, {0, -1}});
  expect_numbers(value("  low = c128[] constant((0, 0))\n  high = c128[] constant((1, 2.5))\n"
                       "  ROOT r = c128[4] clamp(low, x, high)\n"),
                 {{1, 2}, {1, 2}, {0, 0}, {0, 0}});
}

TEST(ComplexEvaluation, CombinersAndComparatorsMayBeAnyFunction) {
  const std::string x = "  x = c128[3] constant({(1, 2), (0, 1), (3, -1)})\n";
  const auto module = [&](const std::string& function, const std::string& root) {
    return numbers_of(evaluate(
        text::testing::graph_of("HloModule m\nf {\n" + function + "}\nENTRY main {\n" + x + root + "}\n"), {}));
  };
  const std::string both = "  a = c128[] parameter(0)\n  b = c128[] parameter(1)\n";
  // (1 + 2i) i (3 - i) = (-2 + i) (3 - i) = -5 + 5i.
  expect_numbers(
      module(both + "  ROOT c = c128[] multiply(a, b)\n",
             "  one = c128[] constant((1, 0))\n  ROOT r = c128[] reduce(x, one), dimensions={0}, to_apply=f\n"),
      {{-5, 5}});
  // The magnitudes are the roots of 5, 1 and 10.
  expect_numbers(
      module(both + "  p = f64[] abs(a)\n  q = f64[] abs(b)\n  ROOT c = pred[] compare(p, q), direction=LT\n",
             "  ROOT r = c128[3] sort(x), dimensions={0}, to_apply=f\n"),
      {{0, 1}, {1, 2}, {3, -1}});
  expect_numbers(module("  a = c128[] parameter(0)\n  ROOT c = c128[] multiply(a, a)\n",
                        "  ROOT r = c128[3] map(x), dimensions={0}, to_apply=f\n"),
                 {{-3, 4}, {-1, 0}, {8, -6}});
}

TEST(ComplexEvaluation, RootsAndNumbersNearZeroKeepTheirDigits) {
  const auto value = [](const std::string& function) {
    return numbers_of(
        result_of("  x = c128[2] constant({(8, 0), (1e-10, 2e-10)})\n  ROOT r = c128[2] " + function + "(x)\n", {}));
  };
  expect_numbers({value("cbrt")[0]}, {{2, 0}});
  // exp(x) - 1 = x + x^2 / 2 and log(1 + x) = x - x^2 / 2 to 30 digits; x^2 / 2 = (-1.5 + 2i) 1e-20.
  const Number small{1e-10, 2e-10}, half_square{-1.5e-20, 2e-20};
  EXPECT_LT(std::abs(value("exponential-minus-one")[1] - (small + half_square)), 1e-25);
  EXPECT_LT(std::abs(value("log-plus-one")[1] - (small - half_square)), 1e-25);
}

TEST(ComplexEvaluation, SystemsAreSolvedAndMatricesFactored) {
  const Literal a = random_numbers(make_shape(ElementType::c128, {3, 3}), 6);
  const Literal b = random_numbers(make_shape(ElementType::c128, {3, 2}), 7);
  for (const bool lower : {false, true}) {
    for (const std::string form : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
      SCOPED_TRACE(form + (lower ? ", lower" : ", upper"));
      const std::vector<Number> x = numbers_of(result_of(
          "  a = c128[3,3] parameter(0)\n  b = c128[3,2] parameter(1)\n  ROOT x = c128[3,2] triangular-solve(a, b), "
          "left_side=true, unit_diagonal=false, lower=" +
              std::string(lower ? "true" : "false") + ", transpose_a=" + form + "\n",
          {a, b}));
      std::vector<Number> product(6);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          const bool is_plain = form == "NO_TRANSPOSE";
          const std::size_t row = is_plain ? i : k, column = is_plain ? k : i;
          if (lower ? row < column : row > column) continue;
          Number entry = numbers_of(a)[3 * row + column];
          if (form == "ADJOINT") entry = std::conj(entry);
          for (std::size_t j = 0; j < 2; ++j) product[2 * i + j] += entry * x[2 * k + j];
        }
      }
      expect_numbers(product, numbers_of(b));
    }
    // A factor [[2, 0], [1 + i, 3]] has the product [[4, 2 - 2i], [2 + 2i, 11]] with its adjoint; the upper factor of
    // the same matrix is the adjoint.
    const std::vector<Number> factor = numbers_of(
        result_of("  a = c128[2,2] constant({{(4, 0), (2, -2)}, {(2, 2), (11, 0)}})\n  ROOT l = c128[2,2] cholesky(a), "
                  "lower=" +
                      std::string(lower ? "true" : "false") + "\n",
                  {}));
    expect_numbers(factor, lower ? std::vector<Number>{{2, 0}, {0, 0}, {1, 1}, {3, 0}}
                                 : std::vector<Number>{{2, 0}, {1, -1}, {0, 0}, {3, 0}});
  }
}

// In memory a complex number is its real part, then its imaginary part.
TEST(ComplexEvaluation, BitsAreThoseOfTheParts) {
  const std::string x = "  x = c64[2] constant({(1, -2), (0.5, 0)})\n";
  EXPECT_EQ(result_of(x + "  ROOT r = f32[2,2] bitcast-convert(x)\n", {}).values, (std::vector<double>{1, -2, 0.5, 0}));
  EXPECT_EQ(result_of(x + "  w = u64[2] bitcast-convert(x)\n  ROOT r = c64[2] bitcast-convert(w)\n", {}).values,
            (std::vector<double>{1, -2, 0.5, 0}));
  // 0x3f800000 is 1 in f32, 0xc0000000 is -2.
  EXPECT_EQ(result_of(x + "  ROOT w = u64[2] bitcast-convert(x)\n", {}).integers[0],
            std::bit_cast<std::int64_t>(std::uint64_t{0xc00000003f800000}));
  EXPECT_EQ(result_of("  ROOT r = c64[3] iota(), iota_dimension=0\n", {}).values,
            (std::vector<double>{0, 0, 1, 0, 2, 0}));
}

}  // namespace
}  // namespace podsim::hlo::eval
