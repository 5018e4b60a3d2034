// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/evaluator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::eval {
namespace {

using testing::make_literal;
using testing::random_literal;
using testing::window;
using Values = std::vector<double>;

using testing::bf16;
using testing::f32;
using testing::f64;

/// The value of the instruction that `write` makes from one parameter.
template <class Write>
Literal apply(const Literal& x, Write&& write) {
  build::GraphBuilder b("test");
  const InstructionId root = write(b, b.parameter(x.shape, "x"));
  const Module module = std::move(b).build(root);
  build::verify(module);
  return evaluate(module, std::vector{x});
}

TEST(Evaluator, UnaryOperationsEqualTheCLibrary) {
  const Literal x = testing::make_literal(f64, {3}, {0.25, 1, 2});
  const auto expect = [&](Opcode opcode, double (*reference)(double)) {
    const Literal y = apply(x, [&](build::GraphBuilder& b, InstructionId p) { return b.unary(opcode, p); });
    for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(y.values[i], reference(x.values[i])) << to_string(opcode);
  };
  expect(Opcode::negate, [](double v) { return -v; });
  expect(Opcode::exponential, [](double v) { return std::exp(v); });
  expect(Opcode::log, [](double v) { return std::log(v); });
  expect(Opcode::sqrt, [](double v) { return std::sqrt(v); });
  expect(Opcode::rsqrt, [](double v) { return 1 / std::sqrt(v); });
  expect(Opcode::tanh, [](double v) { return std::tanh(v); });
  expect(Opcode::copy, [](double v) { return v; });
}

TEST(Evaluator, ResultsAreRoundedToTheElementTypeAfterEachOperation) {
  // 1 + 2^-8 is not a bf16; added in one step of f32 it would be.
  const Literal x = testing::make_literal(bf16, {1}, {1});
  const Literal y = apply(x, [](build::GraphBuilder& b, InstructionId p) {
    const InstructionId eps = b.full_like(p, 1.0 / 256);
    return b.subtract(b.add(p, eps), p);
  });
  EXPECT_EQ(y.values, Values{0});
}

TEST(Evaluator, BinaryOperationsSelectAndCompare) {
  const Literal x = testing::make_literal(f32, {4}, {-2, 0, 3, 4});
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.maximum(p, b.full_like(p, 1)); }).values, (Values{1, 1, 3, 4}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.minimum(p, b.full_like(p, 1)); }).values, (Values{-2, 0, 1, 1}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.power(p, b.full_like(p, 2)); }).values, (Values{4, 0, 9, 16}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.divide(p, b.full_like(p, 2)); }).values, (Values{-1, 0, 1.5, 2}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.sign(p); }).values, (Values{-1, 0, 1, 1}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.abs(p); }).values, (Values{2, 0, 3, 4}));
  EXPECT_EQ(apply(x,
                  [](auto& b, auto p) {
                    const auto low = b.compare(p, b.full_like(p, 0), ComparisonDirection::ge);
                    const auto high = b.compare(p, b.full_like(p, 3), ComparisonDirection::le);
                    const auto inside = b.logical_and(low, high);
                    return b.select(b.logical_or(inside, b.compare(p, p, ComparisonDirection::ne)), p,
                                    b.full_like(p, -1));
                  })
                .values,
            (Values{-1, 0, 3, -1}));
}

TEST(Evaluator, IntegerDivisionTruncatesAndConversionSaturates) {
  const Literal x = testing::make_literal(ElementType::s32, {3}, {-7, 7, 300});
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.divide(p, b.full_like(p, 2)); }).values, (Values{-3, 3, 150}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.convert(p, ElementType::u8); }).values, (Values{249, 7, 44}));
  const Literal y = testing::make_literal(f32, {4}, {-1.5, 2.7, 300, NAN});
  EXPECT_EQ(apply(y, [](auto& b, auto p) { return b.convert(p, ElementType::s8); }).values, (Values{-1, 2, 127, 0}));
}

TEST(Evaluator, AMaximumHandsOnNanOfEitherSide) {
  const Literal x = testing::make_literal(f32, {1}, {NAN});
  EXPECT_TRUE(std::isnan(apply(x, [](auto& b, auto p) { return b.maximum(p, b.full_like(p, 1)); }).values[0]));
  EXPECT_TRUE(std::isnan(apply(x, [](auto& b, auto p) { return b.maximum(b.full_like(p, 1), p); }).values[0]));
}

TEST(Evaluator, RearrangementsPlaceEveryElement) {
  const Literal x = testing::make_literal(f32, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.transpose(p, {1, 0}); }).values, (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.reshape(p, {3, 2}); }).values, (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.reverse(p, {1}); }).values, (Values{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.slice(p, {{1, 2, 1}, {0, 3, 2}}); }).values, (Values{3, 5}));
  EXPECT_EQ(apply(x,
                  [](auto& b, auto p) {
                    return b.concatenate({p, p}, 1);
                  })
                .values,
            (Values{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(apply(x,
                  [](auto& b, auto p) {
                    return b.broadcast(p, {3, 2, 2}, {2, 0});
                  })
                .values,
            (Values{0, 3, 0, 3, 1, 4, 1, 4, 2, 5, 2, 5}));
  EXPECT_EQ(apply(x,
                  [](auto& b, auto) {
                    return b.iota(make_shape(ElementType::s32, {2, 3}), 1);
                  })
                .values,
            (Values{0, 1, 2, 0, 1, 2}));
}

TEST(Evaluator, PadHasLowHighAndInteriorAndMayCrop) {
  const Literal x = testing::make_literal(f32, {3}, {1, 2, 3});
  const auto pad = [&](PadDimension dimension) {
    return apply(x, [&](build::GraphBuilder& b, InstructionId p) { return b.pad(p, b.constant(f32, 9), {dimension}); })
        .values;
  };
  EXPECT_EQ(pad({1, 2, 1}), (Values{9, 1, 9, 2, 9, 3, 9, 9}));
  EXPECT_EQ(pad({-1, 0, 0}), (Values{2, 3}));
  EXPECT_EQ(pad({-1, -1, 1}), (Values{9, 2, 9}));
}

TEST(Evaluator, ReduceKeepsTheOtherDimensions) {
  const Literal x = testing::make_literal(f32, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.reduce_add(p, {0}); }).values, (Values{3, 5, 7}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.reduce_max(p, {1}); }).values, (Values{2, 5}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.reduce_add(p, {0, 1}); }).values, (Values{15}));
}

TEST(Evaluator, ABf16SumIsRoundedOnceAtItsEnd) {
  // One by one, 256 + 1 would stay 256 in bf16; 256 + 16 is exact.
  Values values(17, 1);
  values[0] = 256;
  EXPECT_EQ(
      apply(testing::make_literal(bf16, {17}, values), [](auto& b, auto p) { return b.reduce_add(p, {0}); }).values,
      Values{272});
}

TEST(Evaluator, ReduceWindowLeavesPaddingOut) {
  const Literal x = testing::make_literal(f32, {4}, {-4, -3, -2, -1});
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.reduce_window_max(p, {testing::window(3, 2, 1, 1)}); }).values,
            (Values{-3, -1}));
  EXPECT_EQ(apply(x, [](auto& b, auto p) { return b.reduce_window_add(p, {testing::window(3, 1, 1, 1)}); }).values,
            (Values{-7, -9, -6, -3}));
  EXPECT_EQ(apply(x,
                  [](auto& b, auto p) {
                    WindowDimension dilated = testing::window(2);
                    dilated.base_dilation = 2;
                    dilated.window_dilation = 2;
                    return b.reduce_window_add(p, {dilated});
                  })
                .values,
            (Values{-7, 0, -5, 0, -3}));
}

TEST(Evaluator, SelectAndScatterGivesTiesToTheFirstInWindowOrder) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f32, {2, 4}), "x");
  const InstructionId source = b.parameter(make_shape(f32, {1, 2}), "source");
  const InstructionId root =
      b.select_and_scatter(x, source, b.constant(f32, 0), {testing::window(2, 2), testing::window(2, 2)},
                           b.comparator(ComparisonDirection::ge, f32), b.combiner(Opcode::add, f32));
  const Module module = std::move(b).build(root);
  const Literal result = evaluate(module, std::vector{testing::make_literal(f32, {2, 4}, {1, 7, 0, 0, 7, 2, 0, 0}),
                                                      testing::make_literal(f32, {1, 2}, {5, 6})});
  EXPECT_EQ(result.values, (Values{0, 5, 6, 0, 0, 0, 0, 0}));
}

TEST(Evaluator, OverlappingWindowsScatterIntoOneElement) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f32, {5}), "x");
  const InstructionId source = b.parameter(make_shape(f32, {3}), "source");
  const InstructionId root =
      b.select_and_scatter(x, source, b.constant(f32, 0), {testing::window(3, 2, 1, 1)},
                           b.comparator(ComparisonDirection::ge, f32), b.combiner(Opcode::add, f32));
  const Module module = std::move(b).build(root);
  const Literal result = evaluate(module, std::vector{testing::make_literal(f32, {5}, {0, 9, 1, 2, 3}),
                                                      testing::make_literal(f32, {3}, {1, 10, 100})});
  EXPECT_EQ(result.values, (Values{0, 11, 0, 0, 100}));
}

TEST(Evaluator, TuplesAndTheirElements) {
  const Literal x = testing::make_literal(f32, {1}, {3});
  const Literal y = apply(x, [](auto& b, auto p) {
    const auto pair = b.tuple({p, b.negate(p)});
    return b.tuple({b.get_tuple_element(pair, 1), pair});
  });
  EXPECT_EQ(y.elements[0].values, Values{-3});
  EXPECT_EQ(y.elements[1].elements[0].values, Values{3});
}

TEST(Evaluator, ACombinerOfSeveralOperationsIsEvaluatedAsWritten) {
  // x, y -> x * 2 + y: the last element has weight 1, the one before 2, then 4; the initial value has weight 8.
  Module module;
  Computation weigh = [] {
    build::GraphBuilder b("weigh");
    const InstructionId x = b.parameter(make_shape(f32, {}), "x");
    const InstructionId y = b.parameter(make_shape(f32, {}), "y");
    return std::move(b).build(b.add(b.multiply(x, b.constant(f32, 2)), y)).computations[0];
  }();
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f32, {3}), "x");
  const InstructionId root = b.reduce_add(x, {0});
  module = std::move(b).build(root);
  module.computations[0] = weigh;
  EXPECT_EQ(evaluate(module, std::vector{testing::make_literal(f32, {3}, {1, 10, 100})}).values, Values{4 + 20 + 100});
}

TEST(Evaluator, AFusionMeansItsBody) {
  const Literal x = testing::random_literal(make_shape(f32, {4, 4}), 1);
  const auto body = [](build::GraphBuilder& b, InstructionId p) { return b.exponential(b.multiply(p, p)); };
  build::GraphBuilder inner("body");
  const InstructionId inner_root = body(inner, inner.parameter(x.shape, "p"));
  Module module = std::move(inner).build(inner_root);
  module.computations[0].name = "fused";
  Computation entry;
  entry.name = "main";
  Instruction parameter;
  parameter.name = "x";
  parameter.shape = x.shape;
  Instruction fusion;
  fusion.opcode = Opcode::fusion;
  fusion.name = "fusion";
  fusion.shape = x.shape;
  fusion.operands = {0};
  fusion.called = {0};
  entry.instructions = {parameter, fusion};
  entry.parameters = {0};
  entry.root = 1;
  module.computations.push_back(entry);
  module.entry = 1;
  build::verify(module);
  EXPECT_EQ(evaluate(module, std::vector{x}).values, apply(x, body).values);
}

TEST(Evaluator, AllReduceAddsUpThePartitions) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f32, {2}), "x");
  const InstructionId root = b.all_reduce(x);
  const Module module = std::move(b).build(root);
  const auto results = evaluate_partitions(module, {{testing::make_literal(f32, {2}, {1, 2})},
                                                    {testing::make_literal(f32, {2}, {10, 20})},
                                                    {testing::make_literal(f32, {2}, {3, 4})}});
  for (const Literal& result : results) EXPECT_EQ(result.values, (Values{14, 26}));
}

TEST(Evaluator, TheHostMayBringItsOwnAllReduceAndInfeed) {
  build::GraphBuilder b("test");
  const InstructionId fed = b.infeed(make_tuple_shape({make_shape(f32, {1}), make_shape(ElementType::s32, {1})}));
  const InstructionId x = b.get_tuple_element(fed, 0);
  const InstructionId sums = b.all_reduce(std::vector{x, b.negate(x)});
  b.outfeed(x);
  const InstructionId root = b.get_tuple_element(sums, 1);
  const Module module = std::move(b).build(root);
  EXPECT_THROW(evaluate_partitions(module, {{}, {}}), std::logic_error);

  EvaluationHost host;
  std::vector<double> fed_out;
  host.infeed = [](int partition, const Instruction& instruction) {
    return testing::fed(instruction, {instruction.shape.tuple_shapes[0],
                                      {},
                                      {testing::make_literal(f32, {1}, {partition + 1.0}),
                                       testing::make_literal(ElementType::s32, {1}, {0})}});
  };
  host.outfeed = [&](int, const Literal& value) { fed_out.push_back(value.values[0]); };
  host.all_reduce = [](const Instruction& instruction, const std::vector<std::vector<Literal>>& operands) {
    Literal result{instruction.shape, {}, operands[0]};
    for (std::size_t i = 0; i < result.elements.size(); ++i) result.elements[i].values[0] += operands[1][i].values[0];
    return std::vector<Literal>(operands.size(), result);
  };
  const auto results = evaluate_partitions(module, {{}, {}}, host);
  EXPECT_EQ(results[0].values, Values{-3});
  EXPECT_EQ(results[1].values, Values{-3});
  EXPECT_EQ(fed_out, (Values{1, 2}));
}

TEST(Evaluator, ArgumentsMustMatchTheParameters) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f32, {2}), "x");
  const Module module = std::move(b).build(x);
  EXPECT_THROW(evaluate(module, std::vector<Literal>{}), std::logic_error);
  EXPECT_THROW(evaluate(module, std::vector{testing::make_literal(f32, {3}, {1, 2, 3})}), std::logic_error);
}

}  // namespace
}  // namespace podsim::hlo::eval
