// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hlo/eval/evaluator.h"
#include "hlo/stablehlo/quant/quantisation.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "tests/hlo/literals.h"

/// Values of quantised types, by the definitions of the StableHLO specification.
namespace podsim::hlo::stablehlo {
namespace {

/// The result of a function @main of one argument or two.
Literal value_of_main(const std::string& text, const std::vector<Literal>& arguments) {
  const text::ReadResult read = text::read("m.mlir", text);
  for (const base::Diagnostic& diagnostic : read.diagnostics) ADD_FAILURE() << base::format(diagnostic);
  return eval::evaluate(text::graph::to_graph(read.modules.at(0)), arguments);
}

std::string main_of(const std::string& arguments, const std::string& result, const std::string& body) {
  return "func.func @main(" + arguments + ") -> " + result + " {\n" + body + "\n  return %r : " + result + "\n}\n";
}

const char* const centred = "!quant.uniform<i8:f32, 0.5>";

// round(x / 0.5), of two integers as near the even one, within -128 to 127.
TEST(QuantisedTypes, QuantiseRoundsToTheNearestInteger) {
  const std::string type = std::string("tensor<6x") + centred + ">";
  const Literal x = hlo::testing::make_literal(ElementType::f32, {6}, {0, 0.3, 0.75, -0.25, 100, -100});
  const Literal q = value_of_main(
      main_of("%x: tensor<6xf32>", type, "  %r = stablehlo.uniform_quantize %x : (tensor<6xf32>) -> " + type), {x});
  EXPECT_EQ(q.shape.element_type, ElementType::s8);
  EXPECT_EQ(q.values, (std::vector<double>{0, 1, 2, 0, 127, -128}));
}

// (q - 128) * 0.25.
TEST(QuantisedTypes, DequantiseSubtractsTheZeroPoint) {
  const std::string type = "tensor<4x!quant.uniform<ui8:f32, 0.25:128>>";
  const Literal q = hlo::testing::make_literal(ElementType::u8, {4}, {0, 128, 130, 255});
  const Literal x = value_of_main(main_of("%q: " + type, "tensor<4xf32>",
                                          "  %r = stablehlo.uniform_dequantize %q : (" + type + ") -> tensor<4xf32>"),
                                  {q});
  EXPECT_EQ(x.values, (std::vector<double>{-32, 0, 0.5, 31.75}));
}

// Integers in use are -7 to 7.
TEST(QuantisedTypes, BoundsLimitTheIntegers) {
  const std::string type = "tensor<3x!quant.uniform<i8<-7:7>:f32, 1.0>>";
  const Literal x = hlo::testing::make_literal(ElementType::f32, {3}, {-9, 3, 8});
  const Literal q = value_of_main(
      main_of("%x: tensor<3xf32>", type, "  %r = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> " + type), {x});
  EXPECT_EQ(q.values, (std::vector<double>{-7, 3, 7}));
}

// 0.5 (q1 + q2), as integers of scale 2.
TEST(QuantisedTypes, OperationsAreThoseOfTheRealNumbers) {
  const std::string in = std::string("tensor<4x") + centred + ">", out = "tensor<4x!quant.uniform<i8:f32, 2.0:1>>";
  const Literal a = hlo::testing::make_literal(ElementType::s8, {4}, {8, -4, 3, 100}),
                b = hlo::testing::make_literal(ElementType::s8, {4}, {8, 4, 2, 100});
  const Literal sum = value_of_main(
      main_of("%a: " + in + ", %b: " + in, out, "  %r = stablehlo.add %a, %b : (" + in + ", " + in + ") -> " + out),
      {a, b});
  EXPECT_EQ(sum.values, (std::vector<double>{5, 1, 2, 51}));
}

// Weights of two columns with scales 0.5 and 2: y = x w in real numbers.
TEST(QuantisedTypes, ScalesAlongAnAxisAreThoseOfItsIndices) {
  const std::string type = "tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 2.0:1}>>";
  const Literal x = hlo::testing::make_literal(ElementType::f32, {1, 3}, {1, 2, 3}),
                w = hlo::testing::make_literal(ElementType::s8, {3, 2}, {2, 1, 4, 2, -6, 3});
  const Literal y =
      value_of_main(main_of("%x: tensor<1x3xf32>, %w: " + type, "tensor<1x2xf32>",
                            "  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x3xf32>, " +
                                type + ") -> tensor<1x2xf32>"),
                    {x, w});
  EXPECT_EQ(y.values, (std::vector<double>{0.5 * (2 + 8 - 18), 2.0 * (0 + 2 + 6)}));
}

TEST(QuantisedTypes, MovesAreOfIntegers) {
  const std::string type = "tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 2.0, 1.0}>>",
                    back = "tensor<3x2x!quant.uniform<i8:f32:0, {0.5, 2.0, 1.0}>>";
  const Literal q = hlo::testing::make_literal(ElementType::s8, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Literal moved = value_of_main(
      main_of("%q: " + type, back, "  %r = stablehlo.transpose %q, dims = [1, 0] : (" + type + ") -> " + back), {q});
  EXPECT_EQ(moved.values, (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST(QuantisedTypes, AValueOfOtherScalesIsRefused) {
  const std::string type = std::string("tensor<4x") + centred + ">", other = "tensor<4x!quant.uniform<i8:f32, 2.0>>";
  const text::ReadResult read =
      text::read("m.mlir", main_of("%a: " + type, other, "  %r = stablehlo.negate %a : " + other));
  ASSERT_FALSE(read.diagnostics.empty());
  EXPECT_NE(read.diagnostics[0].message.find("stands for other numbers"), std::string::npos);
}

// What the specification leaves out: infinite scales, numbers beyond the storage type, storage that is no integer.
TEST(QuantisedTypes, OthersAreNoTypes) {
  for (const char* inside : {"i8:f32, inf", "i8:f32, 1e999", "i8:f32, 0.5:300", "i8<-300:300>:f32, 0.5", "f32:f32, 0.5",
                             "i8:i8, 0.5", "ui8:f32, 0.5:-1"}) {
    EXPECT_FALSE(quant::read_quantisation(inside)) << inside;
  }
  for (const char* inside : {"i8:f32, 0.5:-128", "ui8:bf16, 0.5:255", "i4<-7:7>:f32:1, {0.5, 2.0:1}", "u4:f32, 1"}) {
    EXPECT_TRUE(quant::read_quantisation(inside)) << inside;
  }
}

}  // namespace
}  // namespace podsim::hlo::stablehlo
