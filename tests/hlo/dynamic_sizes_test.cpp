// SPDX-License-Identifier: Apache-2.0
// Dynamic dimensions in the evaluator: only elements in use count.
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::eval {
namespace {

using testing::make_literal;
using Values = std::vector<double>;

/// x is 1, 2, ..., 12 as [3,4] or as the text says, n the size of a dimension.
Literal with_size(const std::string& body, double n, const std::vector<std::int64_t>& sizes = {3, 4}) {
  std::vector<double> values(std::size_t(make_shape(ElementType::f32, sizes).element_count()));
  std::iota(values.begin(), values.end(), 1);
  const Module module = text::testing::graph_of(
      "HloModule m\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
      "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, b), direction=GT\n}\n"
      "ENTRY main {\n  x = " +
      to_string(make_shape(ElementType::f32, sizes)) +
      " parameter(0)\n  n = s32[] parameter(1)\n  z = f32[] constant(0)\n" + body + "}\n");
  return evaluate(module,
                  std::vector{make_literal(ElementType::f32, sizes, values), make_literal(ElementType::s32, {}, {n})});
}

constexpr const char* two_columns = "  d = f32[3,<=4] set-dimension-size(x, n), dimensions={1}\n";

TEST(DynamicSizes, ASizeThatIsSetIsTheSize) {
  for (const double n : {0.0, 2.0, 4.0}) {
    EXPECT_EQ(
        with_size(std::string(two_columns) + "  ROOT s = s32[] get-dimension-size(d), dimensions={1}\n", n).values,
        Values{n});
  }
  const Literal cut = with_size(std::string(two_columns) + "  ROOT y = f32[3,<=4] negate(d)\n", 2);
  EXPECT_EQ(cut.shape.dimensions, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(cut.values, (Values{-1, -2, -5, -6, -9, -10}));
}

TEST(DynamicSizes, AReductionLeavesOutWhatIsNotInUse) {
  const std::string reduce = "  ROOT y = f32[3] reduce(d, z), dimensions={1}, to_apply=sum\n";
  EXPECT_EQ(with_size(two_columns + reduce, 2).values, (Values{1 + 2, 5 + 6, 9 + 10}));
  EXPECT_EQ(with_size(two_columns + reduce, 0).values, (Values{0, 0, 0}));
}

// The columns that are left are multiplied by themselves: [3,2] x [2,3].
TEST(DynamicSizes, AProductContractsWhatIsInUse) {
  const std::string product =
      "  t = f32[<=4,3] transpose(d), dimensions={1,0}\n"
      "  ROOT y = f32[3,3] dot(d, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  EXPECT_EQ(with_size(two_columns + product, 2).values,
            (Values{1 + 4, 5 + 12, 9 + 20, 5 + 12, 25 + 36, 45 + 60, 9 + 20, 45 + 60, 81 + 100}));
}

TEST(DynamicSizes, SortsConcatenatesAndBroadcastsWhatIsInUse) {
  const std::string vector = "  d = f32[<=5] set-dimension-size(x, n), dimensions={0}\n";
  const auto of_five = [&](const std::string& body) { return with_size(vector + body, 3, {5}); };
  EXPECT_EQ(of_five("  ROOT y = f32[<=5] sort(d), dimensions={0}, to_apply=less\n").values, (Values{3, 2, 1}));
  EXPECT_EQ(of_five("  ROOT y = f32[<=10] concatenate(d, x), dimensions={0}\n").values,
            (Values{1, 2, 3, 1, 2, 3, 4, 5}));
  EXPECT_EQ(of_five("  ROOT y = f32[2,<=5] broadcast(d), dimensions={1}\n").values, (Values{1, 2, 3, 1, 2, 3}));
  const Literal pair = of_five("  y = f32[<=5] negate(d)\n  ROOT p = (f32[<=5], f32[<=5]) tuple(y, d)\n");
  EXPECT_EQ(pair.shape.tuple_shapes[0].dimensions, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(pair.elements[0].values, (Values{-1, -2, -3}));
}

TEST(DynamicSizes, AReshapeTakesItsSizes) {
  const Literal flat = with_size(std::string(two_columns) +
                                     "  three = s32[] constant(3)\n  six = s32[] multiply(n, three)\n"
                                     "  ROOT y = f32[<=12] dynamic-reshape(d, six)\n",
                                 2);
  EXPECT_EQ(flat.values, (Values{1, 2, 5, 6, 9, 10}));
}

// A loop that sums up one column less each time: 1 + ... + 4, then three, two, one of them.
TEST(DynamicSizes, ALoopKeepsASize) {
  const Module module = text::testing::graph_of(R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
more {
  s = (f32[<=4], f32[]) parameter(0)
  v = f32[<=4] get-tuple-element(s), index=0
  n = s32[] get-dimension-size(v), dimensions={0}
  zero = s32[] constant(0)
  ROOT go = pred[] compare(n, zero), direction=GT
}
body {
  s = (f32[<=4], f32[]) parameter(0)
  v = f32[<=4] get-tuple-element(s), index=0
  so_far = f32[] get-tuple-element(s), index=1
  total = f32[] reduce(v, so_far), dimensions={0}, to_apply=sum
  n = s32[] get-dimension-size(v), dimensions={0}
  one = s32[] constant(1)
  less = s32[] subtract(n, one)
  w = f32[<=4] set-dimension-size(v, less), dimensions={0}
  ROOT t = (f32[<=4], f32[]) tuple(w, total)
}
ENTRY main {
  x = f32[<=4] parameter(0)
  z = f32[] constant(0)
  t = (f32[<=4], f32[]) tuple(x, z)
  l = (f32[<=4], f32[]) while(t), condition=more, body=body
  ROOT y = f32[] get-tuple-element(l), index=1
}
)");
  EXPECT_EQ(evaluate(module, std::vector{make_literal(ElementType::f32, {4}, {1, 2, 3, 4})}).values,
            Values{4 * 1 + 3 * 2 + 2 * 3 + 1 * 4});
}

TEST(DynamicSizes, WhatIsNotDefinedIsRefused) {
  EXPECT_THROW(with_size(std::string(two_columns) + "  ROOT y = f32[3,<=4] negate(d)\n", 5), std::logic_error);
  EXPECT_THROW(with_size(std::string(two_columns) + "  ROOT y = f32[3,<=4] negate(d)\n", -1), std::logic_error);
  EXPECT_THROW(with_size(std::string(two_columns) + "  ROOT y = f32[3,4] add(d, x)\n", 2), std::logic_error);
  EXPECT_THROW(with_size(std::string(two_columns) + "  ROOT y = f32[12] reshape(d)\n", 2), std::logic_error);
  EXPECT_NO_THROW(with_size(std::string(two_columns) + "  ROOT y = f32[3,4] add(d, x)\n", 4));
}

}  // namespace
}  // namespace podsim::hlo::eval
