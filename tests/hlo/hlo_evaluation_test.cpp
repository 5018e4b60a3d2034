// SPDX-License-Identifier: Apache-2.0
// Results of instructions that are written as HLO text, against closed forms.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "hlo/literal_printer.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo {
namespace {

using testing::expect_near;
using testing::graph_of;
using testing::graph_of_entry;
using testing::literal_of;
using testing::make_literal;
using testing::random_literal;
using testing::scalar_functions;

using testing::f32;
using testing::f64;

std::string value_of(const std::string& lines, const std::string& computations = testing::scalar_functions) {
  return to_string(eval::evaluate(testing::graph_of_entry(lines, computations), {}));
}

TEST(HloEvaluation, SlicesThatBeginWhereOperandsSayStayInside) {
  const std::string x = "x = s64[2,3] constant({ {1, 2, 3}, {4, 5, 6} })\n";
  const auto slice = [&](const std::string& a, const std::string& b) {
    return value_of(x + "a = s32[] constant(" + a + ")\n b = s32[] constant(" + b +
                    ")\n ROOT r = s64[1,2] dynamic-slice(x, a, b), dynamic_slice_sizes={1,2}");
  };
  EXPECT_EQ(slice("1", "0"), "{ {4, 5} }");
  EXPECT_EQ(slice("0", "1"), "{ {2, 3} }");
  EXPECT_EQ(slice("-3", "9"), "{ {2, 3} }");
  const auto update = [&](const std::string& a, const std::string& b) {
    return value_of(x + "u = s64[1,2] constant({ {8, 9} })\n a = s32[] constant(" + a + ")\n b = u32[] constant(" + b +
                    ")\n ROOT r = s64[2,3] dynamic-update-slice(x, u, a, b)");
  };
  EXPECT_EQ(update("1", "1"), "{ {1, 2, 3}, {4, 8, 9} }");
  EXPECT_EQ(update("0", "4000000000"), "{ {1, 8, 9}, {4, 5, 6} }");
}

TEST(HloEvaluation, SortsSeveralOperandsByTheComparatorAndKeepsEqualOnesInOrder) {
  EXPECT_EQ(value_of(R"(
    k = f32[2,4] constant({ {3, 1, 2, 1}, {0, 0, -1, 5} })
    v = s32[2,4] iota(), iota_dimension=1
    ROOT r = (f32[2,4], s32[2,4]) sort(k, v), dimensions={1}, is_stable=true, to_apply=by_key)",
                     R"(
by_key { a = f32[] parameter(0)  b = f32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
)"),
            "({ {1, 1, 2, 3}, {-1, 0, 0, 5} }, { {1, 3, 2, 0}, {2, 0, 1, 3} })");
}

TEST(HloEvaluation, SortingAnyRowsEqualsTheStandardLibrary) {
  const Module module = testing::graph_of_entry(
      "p = f32[5,7] parameter(0)\n ROOT r = f32[5,7] sort(p), dimensions={0}, to_apply=less_f32",
      testing::scalar_functions);
  const Literal x = testing::random_literal(make_shape(f32, {5, 7}), 3);
  const Literal y = eval::evaluate(module, std::vector{x});
  for (std::size_t column = 0; column < 7; ++column) {
    std::vector<double> expected, actual;
    for (std::size_t row = 0; row < 5; ++row) {
      expected.push_back(x.values[row * 7 + column]);
      actual.push_back(y.values[row * 7 + column]);
    }
    std::ranges::sort(expected);
    EXPECT_EQ(actual, expected);
  }
}

TEST(HloEvaluation, TopkGivesTheLargestWithTheirPlaces) {
  const std::string x = "x = f32[2,4] constant({ {3, 9, 9, 1}, {-1, -4, -2, -3} })\n";
  EXPECT_EQ(value_of(x + "ROOT r = (f32[2,2], s32[2,2]) topk(x), k=2"), "({ {9, 9}, {-1, -2} }, { {1, 2}, {0, 2} })");
  EXPECT_EQ(value_of(x + "ROOT r = (f32[2,1], s32[2,1]) topk(x), k=1, largest=false"), "({ {1}, {-4} }, { {3}, {1} })");
}

TEST(HloEvaluation, ReducesPairsOfArraysTogether) {
  EXPECT_EQ(value_of(R"(
    x = f32[2,3] constant({ {3, 7, 5}, {2, -1, 2} })
    i = s32[2,3] iota(), iota_dimension=1
    low = f32[] constant(-inf)
    none = s32[] constant(-1)
    ROOT r = (f32[2], s32[2]) reduce(x, i, low, none), dimensions={1}, to_apply=larger)",
                     R"(
larger { a = f32[] parameter(0)  i = s32[] parameter(1)  b = f32[] parameter(2)  k = s32[] parameter(3)
  keep = pred[] compare(a, b), direction=GE
  v = f32[] select(keep, a, b)  at = s32[] select(keep, i, k)
  ROOT t = (f32[], s32[]) tuple(v, at) }
)"),
            "({7, 2}, {1, 0})");
}

TEST(HloEvaluation, WindowsOfSixtyFourBitSumsAreExact) {
  EXPECT_EQ(value_of(R"(
    x = s64[4] constant({9007199254740993, 1, 2, 3})
    z = s64[] constant(0)
    ROOT r = s64[3] reduce-window(x, z), window={size=2}, to_apply=add_s64)"),
            "{9007199254740994, 3, 5}");
}

TEST(HloEvaluation, MapsAFunctionOfScalars) {
  EXPECT_EQ(value_of(R"(
    x = f32[3] constant({1, 2, 3})
    y = f32[3] constant({10, 20, 30})
    ROOT r = f32[3] map(x, y), dimensions={0}, to_apply=f)",
                     R"(
double { x = f32[] parameter(0)  ROOT r = f32[] add(x, x) }
f { x = f32[] parameter(0)  y = f32[] parameter(1)  d = f32[] call(x), to_apply=double  ROOT r = f32[] subtract(y, d) }
)"),
            "{8, 16, 24}");
}

TEST(HloEvaluation, ABitcastReadsMemoryInTheLayoutsOrder) {
  // Column-major [2,3] holds 1 4 2 5 3 6 in memory.
  EXPECT_EQ(value_of("x = f32[2,3]{0,1} constant({ {1, 2, 3}, {4, 5, 6} })\n ROOT r = f32[3,2]{1,0} bitcast(x)"),
            "{ {1, 4}, {2, 5}, {3, 6} }");
  EXPECT_EQ(value_of("x = f32[2,3]{1,0} constant({ {1, 2, 3}, {4, 5, 6} })\n ROOT r = f32[6] bitcast(x)"),
            "{1, 2, 3, 4, 5, 6}");
}

TEST(HloEvaluation, ABitcastConvertKeepsTheBits) {
  EXPECT_EQ(value_of("x = f32[2] constant({1, -2})\n ROOT r = u32[2] bitcast-convert(x)"), "{1065353216, 3221225472}");
  EXPECT_EQ(value_of("x = u32[] constant(1073741824)\n ROOT r = f32[] bitcast-convert(x)"), "2");
  EXPECT_EQ(value_of("x = u32[2] constant({1, 65539})\n ROOT r = u16[2,2] bitcast-convert(x)"), "{ {1, 0}, {3, 1} }");
  EXPECT_EQ(value_of("x = u8[2,8] constant({ {1,0,0,0,0,0,0,128}, {0,1,0,0,0,0,0,0} })\n"
                     "ROOT r = u64[2] bitcast-convert(x)"),
            "{9223372036854775809, 256}");
  EXPECT_EQ(value_of("x = bf16[2] constant({1, -0.5})\n ROOT r = s16[2] bitcast-convert(x)"), "{16256, -16640}");
}

TEST(HloEvaluation, ADotOfIntegersIsExactModuloItsType) {
  EXPECT_EQ(value_of(R"(
    x = s32[2] constant({2147483647, 3})
    y = s32[2] constant({2147483647, 5})
    ROOT r = s32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0})"),
            "16");  // (2^31 - 1)^2 + 15 = 2^62 - 2^32 + 16
}

/// A convolution in groups is one convolution per group.
TEST(HloEvaluation, GroupsOfAConvolutionAreConvolutionsOfTheirParts) {
  const std::string rest = "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f";
  const auto parts = [&](const std::string& count, const std::string& x, const std::string& slices) {
    return testing::graph_of_entry("x = f64[" + x + "] parameter(0)\n w = f64[3,2,6] parameter(1)\n" +
                                   "g = f64[4,5,6] convolution(x, w), " + count + "=2, " + rest + "\n" + slices +
                                   R"(
      w1 = f64[3,2,3] slice(w), slice={[0:3], [0:2], [0:3]}
      w2 = f64[3,2,3] slice(w), slice={[0:3], [0:2], [3:6]}
      y1 = f64[4,5,3] convolution(x1, w1), )" +
                                   rest + "\n y2 = f64[4,5,3] convolution(x2, w2), " + rest + R"(
      y = f64[4,5,6] concatenate(y1, y2), dimensions={2}
      ROOT t = (f64[4,5,6], f64[4,5,6]) tuple(g, y))");
  };
  const Literal w = testing::random_literal(make_shape(f64, {3, 2, 6}), 2);
  const Literal features = eval::evaluate(parts("feature_group_count", "4,5,4", R"(
      x1 = f64[4,5,2] slice(x), slice={[0:4], [0:5], [0:2]}
      x2 = f64[4,5,2] slice(x), slice={[0:4], [0:5], [2:4]})"),
                                          std::vector{testing::random_literal(make_shape(f64, {4, 5, 4}), 1), w});
  testing::expect_near(features.elements[0], features.elements[1], 1e-13);
  const Literal batches = eval::evaluate(parts("batch_group_count", "8,5,2", R"(
      x1 = f64[4,5,2] slice(x), slice={[0:4], [0:5], [0:2]}
      x2 = f64[4,5,2] slice(x), slice={[4:8], [0:5], [0:2]})"),
                                         std::vector{testing::random_literal(make_shape(f64, {8, 5, 2}), 1), w});
  testing::expect_near(batches.elements[0], batches.elements[1], 1e-13);
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix matrix(const Literal& literal) {
  return Eigen::Map<const Matrix>(literal.values.data(), literal.shape.dimensions[0], literal.shape.dimensions[1]);
}

Literal literal(const Matrix& m) {
  return testing::make_literal(f64, {m.rows(), m.cols()}, {m.data(), m.data() + m.size()});
}

TEST(HloEvaluation, CholeskyEqualsEigens) {
  const Matrix random = matrix(testing::random_literal(make_shape(f64, {5, 5}), 4));
  const Matrix a = random * random.transpose() + Matrix::Identity(5, 5);
  const Matrix lower = a.llt().matrixL();
  const auto run = [&](const std::string& flag) {
    return eval::evaluate(
        testing::graph_of_entry("a = f64[5,5] parameter(0)\n ROOT r = f64[5,5] cholesky(a), lower=" + flag),
        std::vector{literal(a)});
  };
  testing::expect_near(run("true"), literal(lower), 1e-12);
  testing::expect_near(run("false"), literal(lower.transpose()), 1e-12);
}

TEST(HloEvaluation, TriangularSolveMultipliesBackToItsRightSide) {
  for (int flags = 0; flags < 16; ++flags) {
    const bool left = flags & 1, lower = flags & 2, unit = flags & 4, transpose = flags & 8;
    const auto word = [](bool value) { return value ? "true" : "false"; };
    const std::string sizes = left ? "4,3" : "3,4";
    const Module module = testing::graph_of_entry(
        "a = f64[4,4] parameter(0)\n b = f64[" + sizes + "] parameter(1)\n ROOT r = f64[" + sizes +
        "] triangular-solve(a, b), left_side=" + word(left) + ", lower=" + word(lower) +
        ", unit_diagonal=" + word(unit) + ", transpose_a=" + (transpose ? "TRANSPOSE" : "NO_TRANSPOSE"));
    const Matrix a = matrix(testing::random_literal(make_shape(f64, {4, 4}), 1)) + 3 * Matrix::Identity(4, 4);
    const Literal b = testing::random_literal(
        make_shape(f64, left ? std::vector<std::int64_t>{4, 3} : std::vector<std::int64_t>{3, 4}), 2);
    Matrix triangle = Matrix::Zero(4, 4);
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 4; ++k) {
        if (i == k || (lower ? k < i : k > i)) triangle(i, k) = i == k && unit ? 1 : a(i, k);
      }
    }
    if (transpose) triangle.transposeInPlace();
    const Matrix x = matrix(eval::evaluate(module, std::vector{literal(a), b}));
    const Matrix product = left ? Matrix(triangle * x) : Matrix(x * triangle);
    EXPECT_LT((product - matrix(b)).cwiseAbs().maxCoeff(), 1e-12) << flags;
  }
}

/// The norm expressed in elementwise instructions and sums.
TEST(HloEvaluation, BatchNormsEqualTheirFormulas) {
  const Module module = testing::graph_of_entry(R"(
    x = f64[3,4,2] parameter(0)
    s = f64[4] parameter(1)
    o = f64[4] parameter(2)
    dy = f64[3,4,2] parameter(3)
    t = (f64[3,4,2], f64[4], f64[4]) batch-norm-training(x, s, o), epsilon=0.01, feature_index=1
    y = f64[3,4,2] get-tuple-element(t), index=0
    m = f64[4] get-tuple-element(t), index=1
    v = f64[4] get-tuple-element(t), index=2
    i = f64[3,4,2] batch-norm-inference(x, s, o, m, v), epsilon=0.01, feature_index=1
    g = (f64[3,4,2], f64[4], f64[4]) batch-norm-grad(x, s, m, v, dy), epsilon=0.01, feature_index=1
    dx = f64[3,4,2] get-tuple-element(g), index=0
    ds = f64[4] get-tuple-element(g), index=1
    do = f64[4] get-tuple-element(g), index=2
    ROOT r = (f64[3,4,2], f64[3,4,2], f64[3,4,2], f64[4], f64[4]) tuple(y, i, dx, ds, do))");
  const Literal x = testing::random_literal(make_shape(f64, {3, 4, 2}), 1), dy = testing::random_literal(x.shape, 2);
  const Literal s = testing::random_literal(make_shape(f64, {4}), 3), o = testing::random_literal(s.shape, 4);
  const auto normalised = [&](const std::vector<double>& input, const std::vector<double>& scale,
                              const std::vector<double>& offset) {
    std::vector<double> y(24);
    for (std::size_t f = 0; f < 4; ++f) {
      double mean = 0, squares = 0;
      for (std::size_t b = 0; b < 6; ++b) mean += input[b / 2 * 8 + f * 2 + b % 2] / 6;
      for (std::size_t b = 0; b < 6; ++b) squares += std::pow(input[b / 2 * 8 + f * 2 + b % 2] - mean, 2) / 6;
      for (std::size_t b = 0; b < 6; ++b) {
        const std::size_t at = b / 2 * 8 + f * 2 + b % 2;
        y[at] = (input[at] - mean) / std::sqrt(squares + 0.01) * scale[f] + offset[f];
      }
    }
    return y;
  };
  const auto loss = [&](const std::vector<double>& input, const std::vector<double>& scale,
                        const std::vector<double>& offset) {
    const std::vector<double> y = normalised(input, scale, offset);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * dy.values[i];
    return sum;
  };
  const Literal result = eval::evaluate(module, std::vector{x, s, o, dy});
  const std::vector<double> y = normalised(x.values, s.values, o.values);
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_NEAR(result.elements[0].values[i], y[i], 1e-12);
    EXPECT_NEAR(result.elements[1].values[i], y[i], 1e-12);
  }
  // Gradients against central differences.
  const double h = 1e-5;
  const auto slope = [&](int which, std::size_t i) {
    std::vector<double> values[] = {x.values, s.values, o.values};
    values[which][i] += h;
    const double above = loss(values[0], values[1], values[2]);
    values[which][i] -= 2 * h;
    return (above - loss(values[0], values[1], values[2])) / (2 * h);
  };
  for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(result.elements[2].values[i], slope(0, i), 1e-8);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(result.elements[3].values[i], slope(1, i), 1e-8);
    EXPECT_NEAR(result.elements[4].values[i], slope(2, i), 1e-8);
  }
}

TEST(HloEvaluation, LoopsRunWhileTheirConditionHolds) {
  EXPECT_EQ(value_of(R"(
    one = s64[] constant(1)
    t = (s64[], s64[]) tuple(one, one)
    w = (s64[], s64[]) while(t), condition=cond, body=body
    ROOT r = s64[] get-tuple-element(w), index=1)",
                     R"(
cond { s = (s64[], s64[]) parameter(0)  i = s64[] get-tuple-element(s), index=0  n = s64[] constant(20)
  ROOT r = pred[] compare(i, n), direction=LE }
body { s = (s64[], s64[]) parameter(0)  i = s64[] get-tuple-element(s), index=0  x = s64[] get-tuple-element(s), index=1
  one = s64[] constant(1)  j = s64[] add(i, one)  y = s64[] multiply(x, i)  ROOT t = (s64[], s64[]) tuple(j, y) }
)"),
            "2432902008176640000");  // 20!
}

TEST(HloEvaluation, BranchesByPredicateAndByIndexAndTheLastOneBeyondTheirNumber) {
  const std::string branches = R"(
a { p = f32[] parameter(0)  ROOT r = f32[] negate(p) }
b { p = f32[] parameter(0)  ROOT r = f32[] add(p, p) }
c { p = f32[] parameter(0)  ROOT r = f32[] multiply(p, p) }
)";
  const auto by_index = [&](const std::string& index) {
    return value_of("x = f32[] constant(3)\n i = s32[] constant(" + index +
                        ")\n ROOT r = f32[] conditional(i, x, x, x), branch_computations={a, b, c}",
                    branches);
  };
  EXPECT_EQ(by_index("0"), "-3");
  EXPECT_EQ(by_index("1"), "6");
  EXPECT_EQ(by_index("7"), "9");
  EXPECT_EQ(by_index("-1"), "9");
  const auto by_predicate = [&](const std::string& predicate) {
    return value_of("x = f32[] constant(3)\n i = pred[] constant(" + predicate +
                        ")\n ROOT r = f32[] conditional(i, x, x), true_computation=a, false_computation=b",
                    branches);
  };
  EXPECT_EQ(by_predicate("true"), "-3");
  EXPECT_EQ(by_predicate("false"), "6");
}

TEST(HloEvaluation, WhatCannotBeEvaluatedIsNamed) {
  const auto message = [](const std::string& lines) -> std::string {
    try {
      eval::evaluate(testing::graph_of_entry(lines), {});
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("ROOT c = f32[] custom-call(), custom_call_target=\"mystery\""),
            "main/c = custom-call: what 'mystery' computes is not known");
  EXPECT_EQ(message("ROOT k = f32[2] constant({...})"), "main/k = constant: its value is left out of the text");
}

// -- Collectives: the value of device r * partitions + p is 10^(its number).

std::vector<std::string> on_devices(int count, const std::string& header, const std::string& lines) {
  const Module module = testing::graph_of("HloModule m" + header + testing::scalar_functions +
                                          "ENTRY main {\n p = f32[4] parameter(0)\n" + lines + "\n}\n");
  std::vector<std::vector<Literal>> arguments;
  for (int device = 0; device < count; ++device) {
    const double base = std::pow(10, device);
    arguments.push_back({testing::make_literal(f32, {4}, {base, 2 * base, 3 * base, 4 * base})});
  }
  std::vector<std::string> texts;
  for (const Literal& result : eval::evaluate_partitions(module, arguments)) texts.push_back(to_string(result));
  return texts;
}

TEST(HloEvaluation, CollectivesRunOverTheirGroups) {
  const std::string two = ", num_partitions=4",
                    groups = "channel_id=1, replica_groups={{0,2},{3,1}}, use_global_device_ids=true";
  using Texts = std::vector<std::string>;
  EXPECT_EQ(
      on_devices(4, two, "ROOT r = f32[4] all-reduce(p), " + groups + ", to_apply=add_f32"),
      (Texts{"{101, 202, 303, 404}", "{1010, 2020, 3030, 4040}", "{101, 202, 303, 404}", "{1010, 2020, 3030, 4040}"}));
  EXPECT_EQ(on_devices(4, two, "ROOT r = f32[2] reduce-scatter(p), " + groups + ", dimensions={0}, to_apply=add_f32"),
            (Texts{"{101, 202}", "{3030, 4040}", "{303, 404}", "{1010, 2020}"}));
  EXPECT_EQ(on_devices(4, two, "ROOT r = f32[8] all-gather(p), " + groups + ", dimensions={0}"),
            (Texts{"{1, 2, 3, 4, 100, 200, 300, 400}", "{1000, 2000, 3000, 4000, 10, 20, 30, 40}",
                   "{1, 2, 3, 4, 100, 200, 300, 400}", "{1000, 2000, 3000, 4000, 10, 20, 30, 40}"}));
  EXPECT_EQ(
      on_devices(4, two, "ROOT r = f32[4] all-to-all(p), channel_id=1, replica_groups={{0,2},{3,1}}, dimensions={0}"),
      (Texts{"{1, 2, 100, 200}", "{3000, 4000, 30, 40}", "{3, 4, 300, 400}", "{1000, 2000, 10, 20}"}));
  EXPECT_EQ(
      on_devices(4, two, "ROOT r = (f32[4], f32[4]) all-to-all(p, p), channel_id=1, replica_groups={{0,2},{3,1}}")[0],
      "({1, 2, 3, 4}, {100, 200, 300, 400})");
  EXPECT_EQ(
      on_devices(4, two, "ROOT r = f32[4] collective-permute(p), channel_id=1, source_target_pairs={{0,1},{3,0}}"),
      (Texts{"{1000, 2000, 3000, 4000}", "{1, 2, 3, 4}", "{0, 0, 0, 0}", "{0, 0, 0, 0}"}));
  EXPECT_EQ(on_devices(4, two, "ROOT r = f32[4] collective-broadcast(p), channel_id=1, replica_groups={{2,0}}"),
            (Texts{"{100, 200, 300, 400}", "{0, 0, 0, 0}", "{100, 200, 300, 400}", "{0, 0, 0, 0}"}));
}

TEST(HloEvaluation, GroupsCountReplicasPartitionsOrBoth) {
  // Devices 0, 1 are the partitions of replica 0; 2, 3 of replica 1.
  const std::string header = ", replica_count=2, num_partitions=2";
  const auto sum = [&](const std::string& attributes) {
    return on_devices(4, header, "ROOT r = f32[4] all-reduce(p), " + attributes + ", to_apply=add_f32")[1];
  };
  EXPECT_EQ(sum("replica_groups={{0,1}}"), "{1010, 2020, 3030, 4040}");
  EXPECT_EQ(sum("replica_groups={}"), "{1010, 2020, 3030, 4040}");
  EXPECT_EQ(sum("channel_id=1, replica_groups={{0},{1}}"), "{11, 22, 33, 44}");
  EXPECT_EQ(sum("channel_id=1, replica_groups={}"), "{1111, 2222, 3333, 4444}");
  EXPECT_EQ(sum("channel_id=1, replica_groups={{0,3},{1,2}}, use_global_device_ids=true"), "{110, 220, 330, 440}");
  const auto ids =
      on_devices(4, header, "a = u32[] replica-id()\n b = u32[] partition-id()\n ROOT t = (u32[], u32[]) tuple(a, b)");
  EXPECT_EQ(ids, (std::vector<std::string>{"(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"}));
}

TEST(HloEvaluation, AnAsynchronousPairMeansWhatItStarts) {
  EXPECT_EQ(on_devices(2, ", replica_count=2", R"(s = f32[4] all-reduce-start(p), replica_groups={}, to_apply=add_f32
    n = f32[4] negate(p)
    d = f32[4] all-reduce-done(s)
    ROOT r = f32[4] add(d, n))"),
            (std::vector<std::string>{"{10, 20, 30, 40}", "{1, 2, 3, 4}"}));
}

TEST(HloEvaluation, ACollectiveThatNotAllReachIsAnError) {
  EXPECT_THROW(on_devices(2, ", replica_count=2", R"(i = u32[] replica-id()
    z = u32[] constant(0)
    first = pred[] compare(i, z), direction=EQ
    ROOT r = f32[4] conditional(first, p, p), true_computation=sum, false_computation=keep
}
sum { p = f32[4] parameter(0)  ROOT r = f32[4] all-reduce(p), replica_groups={{0,1}}, to_apply=add_f32 }
keep { p = f32[4] parameter(0)  ROOT r = f32[4] copy(p) )"),
               std::logic_error);
}

TEST(HloEvaluation, AnEndlessLoopEndsAtALimit) {
  try {
    value_of(R"(
    z = s32[] constant(0)
    t = (s32[]) tuple(z)
    ROOT w = (s32[]) while(t), condition=cond, body=body)",
             R"(
cond { s = (s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0  ROOT p = pred[] compare(i, i), direction=EQ }
body { s = (s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0  ROOT t = (s32[]) tuple(i) }
)");
    FAIL() << "no error";
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("the module has executed 50000000 instructions"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace podsim::hlo
