// SPDX-License-Identifier: Apache-2.0
// Forms of operations beyond those of gradient_table_test.cpp, compared with central differences.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/hlo/hlo_text.h"
#include "tests/hlo/transform/checked_program.h"

namespace podsim::hlo::transform {
namespace {

using testing::ArgumentRange;

const std::string combiners = R"(
add { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] add(a, b) }
mul { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] multiply(a, b) }
max { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] maximum(a, b) }
min { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] minimum(a, b) }
set { a = f64[] parameter(0)  ROOT b = f64[] parameter(1) }
less { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
less_equal { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LE }
log_add_exp { a = f64[] parameter(0)  b = f64[] parameter(1)  m = f64[] maximum(a, b)  d = f64[] subtract(a, b)
  e = f64[] abs(d)  n = f64[] negate(e)  x = f64[] exponential(n)  l = f64[] log-plus-one(x)
  ROOT r = f64[] add(m, l) }
argmax { a = f64[] parameter(0)  i = s32[] parameter(1)  b = f64[] parameter(2)  j = s32[] parameter(3)
  g = pred[] compare(a, b), direction=GT  n = pred[] compare(a, a), direction=NE  first = pred[] or(g, n)
  e = pred[] compare(a, b), direction=EQ  s = pred[] compare(i, j), direction=LT  both = pred[] and(e, s)
  low = pred[] or(first, both)  v = f64[] select(first, a, b)  w = s32[] select(low, i, j)
  ROOT r = (f64[], s32[]) tuple(v, w) }
sums { a = f64[] parameter(0)  i = f64[] parameter(1)  b = f64[] parameter(2)  j = f64[] parameter(3)
  s = f64[] add(a, b)  p = f64[] multiply(i, j)  ROOT r = (f64[], f64[]) tuple(s, p) }
set_first { a = f64[] parameter(0)  i = f64[] parameter(1)  b = f64[] parameter(2)  j = f64[] parameter(3)
  p = f64[] multiply(i, j)  ROOT r = (f64[], f64[]) tuple(b, p) }
second_less { a = f64[] parameter(0)  b = f64[] parameter(1)  i = f64[] parameter(2)  j = f64[] parameter(3)
  ROOT r = pred[] compare(i, j), direction=GT }
squares { p = f64[4] parameter(0)  ROOT r = f64[4] multiply(p, p) }
products { t = (f64[4], f64[4], s32[]) parameter(0)  p = f64[4] get-tuple-element(t), index=0
  q = f64[4] get-tuple-element(t), index=1  m = f64[4] multiply(p, q)  s = f64[4] sine(p)
  ROOT r = (f64[4], f64[4]) tuple(m, s) }
quotients { t = (f64[4], f64[4]) parameter(0)  p = f64[4] get-tuple-element(t), index=0
  q = f64[4] get-tuple-element(t), index=1  m = f64[4] divide(p, q)  u = (f64[4], f64[4]) tuple(m, m)
  ROOT r = (f64[4], f64[4]) tuple(m, p) }
both { p = (f64[4], f64[4]) parameter(0)  ROOT r = f64[4] get-tuple-element(p), index=1 }
more { s = (f64[4], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=1  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT }
step { s = (f64[4], s32[]) parameter(0)  v = f64[4] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1  one = s32[] constant(1)  j = s32[] add(i, one)  w = f64[4] sine(v)
  ROOT r = (f64[4], s32[]) tuple(w, j) }
loop { p = f64[4] parameter(0)  i = s32[] constant(0)  t = (f64[4], s32[]) tuple(p, i)
  w = (f64[4], s32[]) while(t), condition=more, body=step  ROOT r = f64[4] get-tuple-element(w), index=0 }
outer { s = (f64[4], s32[]) parameter(0)  v = f64[4] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  c = pred[] compare(i, one), direction=EQ  w = f64[4] conditional(c, v, v), true_computation=loop,
  false_computation=squares  ROOT r = (f64[4], s32[]) tuple(w, j) }
)";

/// x is f64[4], y f64[4] and z f64[]. All are positive, as logarithms and quotients want it.
void check(const std::string& lines, ArgumentRange range = {0.2, 0.9}) {
  SCOPED_TRACE(lines);
  const std::string parameters = "x = f64[4] parameter(0)\n y = f64[4] parameter(1)\n z = f64[] parameter(2)\n ";
  testing::expect_agreement(testing::checked_slopes(testing::graph_of_entry(parameters + lines, combiners), 1, range));
}

TEST(GradientRules, OfReductionsFollowTheirCombiner) {
  for (const std::string combiner : {"mul", "max", "min", "log_add_exp"}) {
    check("ROOT r = f64[] reduce(x, z), dimensions={0}, to_apply=" + combiner);
    check("a = f64[3,2,5] parameter(3)\n ROOT r = f64[2] reduce(a, z), dimensions={0,2}, to_apply=" + combiner);
  }
  check("ROOT r = (f64[], f64[]) reduce(x, y, z, z), dimensions={0}, to_apply=sums");
  check(
      "a = f64[3,5] parameter(3)\n i = s32[3,5] iota(), iota_dimension=1\n n = s32[] constant(0)\n l = f64[] "
      "constant(-inf)\n ROOT r = (f64[3], s32[3]) reduce(a, i, l, n), dimensions={1}, to_apply=argmax");
  check("a = f64[0,5] parameter(3)\n ROOT r = f64[5] reduce(a, z), dimensions={0}, to_apply=mul");
}

TEST(GradientRules, OfWindowsFollowTheirCombiner) {
  for (const std::string combiner : {"add", "mul", "max", "min", "log_add_exp"}) {
    const std::vector<std::pair<std::string, std::string>> windows = {
        {"9", "{size=3 pad=2_0}"},
        {"4", "{size=2 stride=2}"},
        {"4", "{size=3 stride=2 pad=1_2 rhs_dilate=2}"},
        {"8", "{size=5 stride=2 pad=1_1 lhs_dilate=2}"},
        {"11", "{size=7 pad=3_3 lhs_dilate=2 rhs_dilate=2}"}};
    for (const auto& [size, window] : windows) {
      check("a = f64[9] parameter(3)\n ROOT r = f64[" + size + "] reduce-window(a, z), window=" + window +
            ", to_apply=" + combiner);
    }
    check(
        "a = f64[5,6] parameter(3)\n ROOT r = f64[3,6] reduce-window(a, z), window={size=2x3 stride=2x1 pad=1_0x1_1 "
        "rhs_dilate=1x1}, to_apply=" +
        combiner);
  }
  check(
      "a = f64[6] parameter(3)\n i = s32[6] iota(), iota_dimension=0\n n = s32[] constant(0)\n l = f64[] "
      "constant(-inf)\n ROOT r = (f64[3], s32[3]) reduce-window(a, i, l, n), window={size=3 stride=2 pad=1_0}, "
      "to_apply=argmax");
}

TEST(GradientRules, OfScattersFollowTheirCombiner) {
  for (const std::string combiner : {"add", "mul", "max", "min", "set"}) {
    // Two updates of one row, and one outside.
    check(
        "t = f64[5,3] parameter(3)\n u = f64[4,3] parameter(4)\n i = s32[4,1] constant({{2},{0},{2},{9}})\n ROOT r = "
        "f64[5,3] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=" +
        combiner);
    // Windows of 2 x 2, of which two overlap.
    check(
        "t = f64[5,4] parameter(3)\n u = f64[2,2,2] parameter(4)\n i = s32[2,2] constant({{1,0},{2,1}})\n ROOT r = "
        "f64[5,4] scatter(t, i, u), update_window_dims={0,2}, inserted_window_dims={}, "
        "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=" +
        combiner);
  }
  check(
      "u = f64[3] parameter(3)\n i = s32[3,1] constant({{2},{0},{2}})\n ROOT r = (f64[4], f64[4]) scatter(x, y, i, "
      "u, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=set_first");
}

TEST(GradientRules, OfGathersBeyondTheArrayIsThatOfTheElementsRead) {
  for (const std::string indices : {"constant({{2},{0},{2},{9}})", "constant({{-1},{0},{2},{3}})"}) {
    check("t = f64[5,3] parameter(3)\n i = s32[4,1] " + indices +
          "\n ROOT r = f64[4,3] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
          "index_vector_dim=1, slice_sizes={1,3}");
  }
  check(
      "t = f64[5,3] parameter(3)\n i = s32[2,4] constant({{2,0,-1,7},{0,1,9,1}})\n ROOT r = f64[4,2,2] gather(t, i), "
      "offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=0, slice_sizes={2,2}");
}

TEST(GradientRules, OfSortsReturnToWhereTheElementsWere) {
  check("a = f64[3,5] parameter(3)\n ROOT r = f64[3,5] sort(a), dimensions={1}, to_apply=less");
  check("a = f64[3,5] parameter(3)\n ROOT r = f64[3,5] sort(a), dimensions={0}, is_stable=true, to_apply=less");
  check("ROOT r = (f64[4], f64[4]) sort(x, y), dimensions={0}, to_apply=second_less");
  check("a = f64[2,3,6] parameter(3)\n ROOT r = (f64[2,3,2], s32[2,3,2]) topk(a), k=2, largest=false");
}

TEST(GradientRules, OfSelectAndScatterReadsWhereItWrote) {
  for (const std::string select : {"less", "less_equal"}) {
    check(
        "a = f64[5,6] parameter(3)\n u = f64[3,6] parameter(4)\n ROOT r = f64[5,6] select-and-scatter(a, u, z), "
        "window={size=2x3 stride=2x1 pad=1_0x1_1}, scatter=add, select=" +
        select);
  }
}

TEST(GradientRules, OfTriangularSystemsReadOnlyTheTriangle) {
  for (const std::string side : {"true", "false"}) {
    for (const std::string lower : {"true", "false"}) {
      for (const std::string transpose : {"NO_TRANSPOSE", "TRANSPOSE"}) {
        for (const std::string unit : {"true", "false"}) {
          check(
              "a = f64[2,3,3] parameter(3)\n b = f64[2,3,3] parameter(4)\n ROOT r = f64[2,3,3] triangular-solve(a, "
              "b), left_side=" +
                  side + ", lower=" + lower + ", transpose_a=" + transpose + ", unit_diagonal=" + unit,
              {0.5, 1.5});
        }
      }
    }
  }
}

TEST(GradientRules, OfAFactorReadsOnlyTheTriangle) {
  for (const std::string lower : {"true", "false"}) {
    check(
        "a = f64[2,3,3] parameter(3)\n i = s32[2,3,3] iota(), iota_dimension=1\n j = s32[2,3,3] iota(), "
        "iota_dimension=2\n e = pred[2,3,3] compare(i, j), direction=EQ\n d = f64[2,3,3] convert(e)\n f = f64[] "
        "constant(4)\n g = f64[2,3,3] broadcast(f), dimensions={}\n h = f64[2,3,3] multiply(d, g)\n m = f64[2,3,3] "
        "add(a, h)\n ROOT r = f64[2,3,3] cholesky(m), lower=" +
        lower);
  }
}

TEST(GradientRules, OfAConditionalIsThatOfTheBranchTaken) {
  const std::string captured =
      "k = s32[] constant(3)\n t = (f64[4], f64[4], s32[]) tuple(x, y, k)\n u = (f64[4], "
      "f64[4]) tuple(y, x)\n ";
  for (const std::string index : {"-1", "0", "1", "2"}) {
    check(captured + "s = s32[1] constant({" + index + "})\n i = s32[] reshape(s)\n ROOT r = (f64[4], f64[4]) " +
          "conditional(i, t, u), branch_computations={products, quotients}");
  }
  for (const std::string choice : {"LT", "GE"}) {
    check(captured + "o = f64[] constant(2)\n p = pred[] compare(z, o), direction=" + choice +
          "\n c = f64[4] conditional(p, u, x), true_computation=both, false_computation=squares\n ROOT r = f64[4] "
          "multiply(c, x)");
  }
}

// Three passes of a loop, of which the second has a loop of its own in its branch.
TEST(GradientRules, OfLoopsAndBranchesInEachOther) {
  check(
      "i = s32[] constant(0)\n t = (f64[4], s32[]) tuple(x, i)\n w = (f64[4], s32[]) while(t), condition=more, "
      "body=outer\n ROOT r = f64[4] get-tuple-element(w), index=0");
  check(
      "o = f64[] constant(2)\n p = pred[] compare(z, o), direction=LT\n ROOT r = f64[4] conditional(p, x, y), "
      "true_computation=loop, false_computation=squares");
}

TEST(GradientRules, OfComplexNumbersIsThatOfBothParts) {
  const std::string number = "c = c128[4] complex(x, y)\n d = c128[4] complex(y, y)\n ";
  for (const std::string function : {"sign", "negate", "exponential", "exponential-minus-one", "log", "log-plus-one",
                                     "logistic", "sqrt", "rsqrt", "sine", "cosine", "tan", "tanh", "copy"}) {
    check(number + "ROOT r = c128[4] " + function + "(c)");
  }
  for (const std::string function : {"add", "subtract", "multiply", "divide", "power", "atan2"}) {
    check(number + "ROOT r = c128[4] " + function + "(c, d)");
  }
  check(number + "s = f64[4] abs(c)\n ROOT r = f64[4] sine(s)");
  check(number + "p = pred[4] compare(x, y), direction=LT\n ROOT r = c128[4] select(p, c, d)");
}

}  // namespace
}  // namespace podsim::hlo::transform
