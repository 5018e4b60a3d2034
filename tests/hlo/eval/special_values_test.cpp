// SPDX-License-Identifier: Apache-2.0
// Values of HLO text where a formula alone does not say the result: signs of zero, no mantissa bits, complex numbers as
// whole ones, bits in comparators.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "hlo/eval/evaluator.h"
#include "hlo/eval/real_function.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::eval {
namespace {

using testing::infinity;
using testing::nan;

Literal value_of(const std::string& lines, const std::string& computations = "") {
  return evaluate(testing::graph_of_entry(lines, computations), {});
}

std::vector<bool> signs(const Literal& literal) {
  std::vector<bool> negative;
  for (const double value : literal.values) negative.push_back(std::signbit(value));
  return negative;
}

// IEEE 754-2019: maximum(+0, -0) is +0 and minimum is -0, in either order.
TEST(SpecialValues, OfTwoZerosTheMaximumIsPositiveAndTheMinimumNegative) {
  for (const std::string type : {"f64", "f32", "f16", "bf16", "f8e5m2"}) {
    SCOPED_TRACE(type);
    const std::string ab =
        "a = " + type + "[4] constant({0, -0, 0, -0})\n b = " + type + "[4] constant({-0, 0, 0, -0})\n";
    EXPECT_EQ(signs(value_of(ab + "ROOT r = " + type + "[4] maximum(a, b)")),
              (std::vector<bool>{false, false, false, true}));
    EXPECT_EQ(signs(value_of(ab + "ROOT r = " + type + "[4] minimum(a, b)")),
              (std::vector<bool>{true, true, false, true}));
    // clamp(low, x, high) = min(max(low, x), high)
    EXPECT_EQ(
        signs(value_of(ab + "i = " + type + "[4] constant({1, 1, 1, 1})\n ROOT r = " + type + "[4] clamp(a, b, i)")),
        (std::vector<bool>{false, false, false, true}));
  }
}

TEST(SpecialValues, ReductionsOfZerosHaveTheSignOfTheirExtreme) {
  const std::string functions =
      "max { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = f32[] maximum(x, y) }\n"
      "min { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = f32[] minimum(x, y) }\n";
  const std::string x = "x = f32[2,3] constant({{-0, 0, -0}, {-0, -0, -0}})\n";
  const std::string lowest = "i = f32[] constant(-inf)\n", highest = "i = f32[] constant(inf)\n";
  EXPECT_EQ(signs(value_of(x + lowest + "ROOT r = f32[2] reduce(x, i), dimensions={1}, to_apply=max", functions)),
            (std::vector<bool>{false, true}));
  const std::string y = "x = f32[2,3] constant({{0, -0, 0}, {0, 0, 0}})\n";
  EXPECT_EQ(signs(value_of(y + highest + "ROOT r = f32[2] reduce(x, i), dimensions={1}, to_apply=min", functions)),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(
      signs(value_of(x + lowest + "ROOT r = f32[2,2] reduce-window(x, i), window={size=1x2}, to_apply=max", functions)),
      (std::vector<bool>{false, false, true, true}));
}

// Without mantissa bits only powers of two are left. The bits of 1.5 and 3 are half way between those of two powers;
// the even one has an even biased exponent: 127 is the one of 1, 128 of 2, 129 of 4. So 1.5 goes to 2, and 3 does, too.
TEST(SpecialValues, WithoutMantissaBitsATieGoesToTheEvenExponent) {
  const auto rounded = [](double x) { return reduce_precision(ElementType::f32, 8, 0, x); };
  EXPECT_EQ(rounded(1.5), 2);
  EXPECT_EQ(rounded(3), 2);
  EXPECT_EQ(rounded(6), 8);
  EXPECT_EQ(rounded(1.49), 1);
  EXPECT_EQ(rounded(-3.01), -4);
  EXPECT_EQ(rounded(nan), infinity);  // which has no bits to say that it is none
  EXPECT_EQ(
      value_of("x = f64[1] constant({nan})\n ROOT r = f64[1] reduce-precision(x), exponent_bits=5, mantissa_bits=0")
          .values[0],
      infinity);
}

/// Rounds in the bits of a float, which hold the mantissa in 23 and the exponent above it.
double in_float_bits(float x, int exponent_bits, int mantissa_bits) {
  const auto all = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = all & 0x80000000U;
  std::uint64_t magnitude = all & 0x7fffffffU;
  if (const int dropped = 23 - mantissa_bits; dropped > 0) {
    const std::uint64_t unit = std::uint64_t{1} << dropped, below = magnitude % unit, kept = magnitude - below;
    const bool odd = kept / unit % 2 == 1;
    magnitude = below * 2 > unit || (below * 2 == unit && odd) ? kept + unit : kept;
  }
  const int exponent = int(magnitude >> 23) - 127, most = (1 << (exponent_bits - 1)) - 1;
  if (exponent_bits < 8 && exponent > most) magnitude = 0x7f800000;
  if (exponent_bits < 8 && exponent < 1 - most) magnitude = 0;
  return double(std::bit_cast<float>(sign | std::uint32_t(magnitude)));
}

TEST(SpecialValues, PrecisionIsReducedInTheBitsOfTheNumber) {
  std::uint32_t state = 12345;
  for (int i = 0; i < 200000; ++i) {
    state = state * 1664525 + 1013904223;
    const std::uint32_t few = i % 2 == 0 ? state : state & 0xfff00000U;  // ties are frequent among the latter
    const float x = std::bit_cast<float>(few);
    if (!std::isfinite(x)) continue;
    const int exponent_bits = 1 + int(state >> 8) % 11, mantissa_bits = int(state >> 16) % 26;
    const double expected = in_float_bits(x, exponent_bits, mantissa_bits);
    ASSERT_EQ(reduce_precision(ElementType::f32, exponent_bits, mantissa_bits, x), expected)
        << x << " e" << exponent_bits << "m" << mantissa_bits;
  }
}

TEST(SpecialValues, PrecisionOfWholeNumbersOrWithoutAnExponentIsRefused) {
  for (const std::string bad :
       {"x = s32[] constant(3)\n ROOT r = s32[] reduce-precision(x), exponent_bits=5, mantissa_bits=1",
        "x = f32[] constant(3)\n ROOT r = f32[] reduce-precision(x), exponent_bits=0, mantissa_bits=1",
        "x = f32[] constant(3)\n ROOT r = f32[] reduce-precision(x), exponent_bits=5, mantissa_bits=-1"}) {
    const text::Module module = testing::read_module("HloModule test\nENTRY main {\n" + bad + "\n}\n");
    EXPECT_FALSE(text::check_shapes(module, text::graph::to_graph(module)).empty()) << bad;
  }
}

// The real part is converted, as a real number would be: towards 0 and into the range.
TEST(SpecialValues, OfAComplexNumberTheRealPartIsConverted) {
  const auto converted = [](const std::string& from, const std::string& to) {
    return value_of("z = " + from + "[4] constant({(1.5, 2), (-3.75, -1), (0, 1), (300, 0)})\n ROOT r = " + to +
                    "[4] convert(z)");
  };
  for (const std::string from : {"c64", "c128"}) {
    EXPECT_EQ(converted(from, "s64").integers, (std::vector<std::int64_t>{1, -3, 0, 300}));
    EXPECT_EQ(converted(from, "u64").integers, (std::vector<std::int64_t>{1, 0, 0, 300}));
    EXPECT_EQ(converted(from, "s32").values, (std::vector<double>{1, -3, 0, 300}));
    EXPECT_EQ(converted(from, "s8").values, (std::vector<double>{1, -3, 0, 127}));
    EXPECT_EQ(converted(from, "s4").values, (std::vector<double>{1, -3, 0, 7}));
    EXPECT_EQ(converted(from, "pred").values, (std::vector<double>{1, 1, 0, 1}));
    EXPECT_EQ(converted(from, "f32").values, (std::vector<double>{1.5, -3.75, 0, 300}));
    EXPECT_EQ(converted(from, "bf16").values, (std::vector<double>{1.5, -3.75, 0, 300}));
    EXPECT_EQ(converted(from, "f8e5m2").values, (std::vector<double>{1.5, -4, 0, 320}));  // -3.75 and 300 are ties
  }
}

// Bits of positive floats are in the order of the numbers, those of negative ones behind all others.
TEST(SpecialValues, ComparatorsMayLookAtBits) {
  for (const std::string cast : {"bitcast", "bitcast-convert"}) {
    const std::string less = "lt {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n x = u32[] " + cast +
                             "(a)\n y = u32[] " + cast + "(b)\n ROOT l = pred[] compare(x, y), direction=LT\n}\n";
    EXPECT_EQ(
        value_of("p = f32[5] constant({3, -1, 2, 0, -2})\n ROOT s = f32[5] sort(p), dimensions={0}, is_stable=true, "
                 "to_apply=lt",
                 less)
            .values,
        (std::vector<double>{0, 2, 3, -1, -2}));
  }
}

// XLA writes a topk for CPUs as a call with the comparator of a sort; equal values keep their order.
TEST(SpecialValues, ACallOfTopKSelectsByItsComparator) {
  const auto selected = [](const std::string& direction) {
    return value_of(
               "x = f32[2,4] constant({{3, 1, 4, 4}, {5, 9, 2, 6}})\n ROOT t = (f32[2,2], s32[2,2]) custom-call(x), "
               "custom_call_target=\"TopK\", called_computations={order}",
               "order {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n i = s32[] parameter(2)\n j = s32[] "
               "parameter(3)\n ROOT l = pred[] compare(a, b), direction=" +
                   direction + "\n}\n")
        .elements;
  };
  EXPECT_EQ(selected("GT")[0].values, (std::vector<double>{4, 4, 9, 6}));
  EXPECT_EQ(selected("GT")[1].values, (std::vector<double>{2, 3, 1, 3}));
  EXPECT_EQ(selected("LT")[1].values, (std::vector<double>{1, 0, 2, 0}));
}

// Shardy annotates the scalars of a combiner inside a shard_map.
TEST(SpecialValues, AnAnnotationInACombinerIsNoOperation) {
  EXPECT_EQ(value_of("x = f32[3] constant({1, 2, 4})\n z = f32[] constant(0)\n ROOT r = f32[] reduce(x, z), "
                     "dimensions={0}, to_apply=sum",
                     "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] add(a, b)\n ROOT d = f32[] "
                     "custom-call(c), custom_call_target=\"Sharding\", sharding={replicated}\n}\n")
                .values,
            std::vector<double>{7});
}

// (1 + i) times (2 - 3i) is 5 - i; summed with i times i it is 4 - i.
TEST(SpecialValues, ComplexNumbersConvolveAndScatter) {
  const Literal convolved = value_of(
      "x = c128[1,2,1] constant({{{(1, 1)}, {(0, 1)}}})\n w = c128[2,1,1] constant({{{(2, -3)}}, {{(0, 1)}}})\n"
      "ROOT r = c128[1,1,1] convolution(x, w), window={size=2}, dim_labels=b0f_0io->b0f");
  EXPECT_EQ(convolved.values, (std::vector<double>{4, -1}));
  const Literal scattered = value_of(
      "x = c64[2] constant({(1, 1), (2, 2)})\n i = s32[3,1] constant({{1}, {0}, {1}})\n u = c64[3] constant({(10, 0), "
      "(0, "
      "20), (5, 5)})\n ROOT r = c64[2] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
      "add {\n x = c64[] parameter(0)\n y = c64[] parameter(1)\n ROOT r = c64[] add(x, y)\n}\n");
  EXPECT_EQ(scattered.values, (std::vector<double>{1, 21, 17, 7}));
}

}  // namespace
}  // namespace podsim::hlo::eval
