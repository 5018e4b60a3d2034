// SPDX-License-Identifier: Apache-2.0
// Slopes at ties and zeros as JAX 0.10.2 gives them on a CPU with jax_enable_x64: jax.grad of the sum of the results,
// each times its number 1, 2, .., of the lax function that each test names.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/hlo/transform/slopes.h"

namespace podsim::hlo::transform {
namespace {

using testing::slopes;
using Numbers = std::vector<double>;
using Slopes = std::vector<Numbers>;

const std::string scalars = R"(
mul { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] multiply(a, b) }
max { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] maximum(a, b) }
min { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] minimum(a, b) }
set { a = f64[] parameter(0)  ROOT b = f64[] parameter(1) }
less { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
less_key { a = f64[] parameter(0)  b = f64[] parameter(1)  i = f64[] parameter(2)  j = f64[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
log_add_exp { a = f64[] parameter(0)  b = f64[] parameter(1)  m = f64[] maximum(a, b)  d = f64[] subtract(a, b)
  e = f64[] abs(d)  n = f64[] negate(e)  x = f64[] exponential(n)  l = f64[] log-plus-one(x)
  ROOT r = f64[] add(m, l) }
)";

const std::string x4 = "x = f64[4] parameter(0)\n ";
const std::string weighted4 = "\n w = f64[4] constant({1,2,3,4})\n ROOT r = f64[4] multiply(v, w)";

Slopes scattered(const std::string& combiner, const Numbers& updates) {
  return slopes(x4 +
                    "u = f64[3] parameter(1)\n i = s32[3,1] constant({{2},{0},{2}})\n v = f64[4] scatter(x, i, u), "
                    "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                    "index_vector_dim=1, to_apply=" +
                    combiner + weighted4,
                {{5, 1, 3, 2}, updates}, scalars);
}

void expect_near(const Numbers& actual, const Numbers& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-14) << i;
}

// lax.scatter_max, scatter_min: shared by the element and the updates that are equal to the result.
TEST(FrameworkSlopes, OfScatteredExtremesAreShared) {
  EXPECT_EQ(scattered("max", {3, 5, 3}), (Slopes{{0.5, 2, 1, 4}, {1, 0.5, 1}}));
  EXPECT_EQ(scattered("min", {3, 5, 3}), (Slopes{{0.5, 2, 1, 4}, {1, 0.5, 1}}));
}

// lax.scatter: the last update of an element has it.
TEST(FrameworkSlopes, OfAScatterThatSetsAreThoseOfTheUpdateThatIsLeft) {
  EXPECT_EQ(scattered("set", {3, 5, 4}), (Slopes{{0, 2, 0, 4}, {0, 1, 3}}));
}

// lax.scatter_mul with unique indices.
TEST(FrameworkSlopes, OfScatteredProductsHaveTheOtherFactors) {
  EXPECT_EQ(slopes(x4 +
                       "u = f64[2] parameter(1)\n i = s32[2,1] constant({{2},{0}})\n v = f64[4] scatter(x, i, u), "
                       "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                       "index_vector_dim=1, to_apply=mul" +
                       weighted4,
                   {{5, 1, 0, 2}, {3, 0}}, scalars),
            (Slopes{{0, 2, 9, 4}, {0, 5}}));
}

// jnp.prod, lax.cumprod.
TEST(FrameworkSlopes, OfProductsWithZerosAreThoseOfTheOtherFactors) {
  EXPECT_EQ(slopes("x = f64[3,3] parameter(0)\n o = f64[] constant(1)\n v = f64[3] reduce(x, o), dimensions={1}, "
                   "to_apply=mul\n w = f64[3] constant({1,2,3})\n ROOT r = f64[3] multiply(v, w)",
                   {{2, 0, 3, 0, 0, 3, 1, 2, 3}}, scalars)[0],
            (Numbers{0, 6, 0, 0, 0, 0, 18, 9, 6}));
  EXPECT_EQ(slopes(x4 +
                       "o = f64[] constant(1)\n v = f64[4] reduce-window(x, o), window={size=4 pad=3_0}, "
                       "to_apply=mul" +
                       weighted4,
                   {{2, 0, 3, 4}}, scalars)[0],
            (Numbers{1, 118, 0, 0}));
}

// jnp.sort, lax.sort with one key, lax.top_k: equal elements keep their order.
TEST(FrameworkSlopes, OfSortsOfEqualElementsKeepTheirOrder) {
  EXPECT_EQ(slopes(x4 + "v = f64[4] sort(x), dimensions={0}, is_stable=true, to_apply=less" + weighted4, {{2, 1, 2, 1}},
                   scalars)[0],
            (Numbers{3, 1, 4, 2}));
  EXPECT_EQ(slopes(x4 +
                       "y = f64[4] parameter(1)\n s = (f64[4], f64[4]) sort(x, y), dimensions={0}, is_stable=true, "
                       "to_apply=less_key\n v = f64[4] get-tuple-element(s), index=1" +
                       weighted4,
                   {{2, 1, 2, 1}, {1, 2, 3, 4}}, scalars),
            (Slopes{{0, 0, 0, 0}, {3, 1, 4, 2}}));
  EXPECT_EQ(slopes(x4 + "t = (f64[3], s32[3]) topk(x), k=3, largest=true\n v = f64[3] get-tuple-element(t), "
                        "index=0\n w = f64[3] constant({1,2,3})\n ROOT r = f64[3] multiply(v, w)",
                   {{2, 1, 2, 1}})[0],
            (Numbers{1, 3, 2, 0}));
}

// lax.reduce_window with lax.max and base_dilation=(2,): the first of equal elements.
TEST(FrameworkSlopes, OfADilatedMaximumAreThoseOfTheFirst) {
  EXPECT_EQ(slopes(x4 +
                       "l = f64[] constant(-inf)\n v = f64[4] reduce-window(x, l), window={size=3 stride=2 pad=1_1 "
                       "lhs_dilate=2}, to_apply=max" +
                       weighted4,
                   {{1, 1, 3, 3}}, scalars)[0],
            (Numbers{1, 2, 3, 4}));
}

// lax.cumlogsumexp, and lax.reduce with jnp.logaddexp.
TEST(FrameworkSlopes, OfLogsOfSumsAreSharesOfTheSum) {
  const std::string low = "l = f64[] constant(-inf)\n ";
  expect_near(slopes("x = f64[3] parameter(0)\n " + low +
                         "v = f64[3] reduce-window(x, l), window={size=3 pad=2_0}, to_apply=log_add_exp\n w = f64[3] "
                         "constant({1,2,3})\n ROOT r = f64[3] multiply(v, w)",
                     {{1, 1, 1}}, scalars)[0],
              {3, 2, 1});
  expect_near(slopes(x4 + low + "ROOT r = f64[] reduce(x, l), dimensions={0}, to_apply=log_add_exp", {{1, 1, 1, 1}},
                     scalars)[0],
              {0.25, 0.25, 0.25, 0.25});
}

// jnp.linalg.cholesky, which reads (a + a^T) / 2.
TEST(FrameworkSlopes, OfASymmetrisedFactorAreSymmetric) {
  const std::string factor =
      "a = f64[3,3] parameter(0)\n t = f64[3,3] transpose(a), dimensions={1,0}\n s = f64[3,3] add(a, t)\n h = f64[] "
      "constant(0.5)\n hs = f64[3,3] broadcast(h), dimensions={}\n m = f64[3,3] multiply(s, hs)\n l = f64[3,3] "
      "cholesky(m), lower=true\n w = f64[3,3] constant({{1,2,3},{4,5,6},{7,8,9}})\n ROOT r = f64[3,3] multiply(l, w)";
  expect_near(slopes(factor, {{4, 1, 2, 1, 5, 3, 2, 3, 6}})[0],
              {-0.0866274306215486, 0.4916594238557491, 0.4274251493152227, 0.4916594238557491, 0.830548799629882,
               0.6014067524735602, 0.4274251493152227, 0.6014067524735602, 2.3444463251327745});
}

// The real part of (2 + i) f(z) at z = 1 + 2i and -1 + i/2: jnp.sqrt, lax.pow(z, y + ix), jnp.log1p, jnp.expm1. And
// jnp.abs of 0 and 1 + i.
TEST(FrameworkSlopes, OfComplexFunctionsAreThoseOfBothParts) {
  const auto shown = [](const std::string& function) {
    return slopes(
        "x = f64[2] parameter(0)\n y = f64[2] parameter(1)\n z = c128[2] complex(x, y)\n q = c128[2] complex(y, "
        "x)\n v = c128[2] " +
            function +
            "\n c = c128[] constant((2,1))\n cs = c128[2] broadcast(c), dimensions={}\n p = c128[2] "
            "multiply(v, cs)\n ROOT r = f64[2] real(p)",
        {{1, -1}, {2, 0.5}});
  };
  const auto check = [&](const std::string& function, const Slopes& expected) {
    SCOPED_TRACE(function);
    const Slopes found = shown(function);
    expect_near(found[0], expected[0]);
    expect_near(found[1], expected[1]);
  };
  check("sqrt(z)", {{0.7446532731328546, 0.6775079293816031}, {0.06714534375125136, 0.8117986168841059}});
  check("log-plus-one(z)", {{0.75, 2}, {0.25, 4}});
  check("exponential-minus-one(z)",
        {{-4.734135439518447, 0.46931836567503404}, {-3.8122489602528247, -0.6755861809000969}});
  const Slopes power = shown("power(z, q)");
  EXPECT_NEAR(power[0][0], 1.3226020457639303, 1e-13);
  EXPECT_NEAR(power[0][1], -9.95275195407087, 1e-12);
  EXPECT_NEAR(power[1][0], -2.5343497690839074, 1e-13);
  EXPECT_NEAR(power[1][1], -62.14362437092686, 1e-11);
  expect_near(slopes("x = f64[2] parameter(0)\n z = c128[2] complex(x, x)\n ROOT r = f64[2] abs(z)", {{0, 1}})[0],
              {0, 1.414213562373095});
}

}  // namespace
}  // namespace podsim::hlo::transform
