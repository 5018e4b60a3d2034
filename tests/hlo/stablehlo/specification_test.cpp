// SPDX-License-Identifier: Apache-2.0
// Operations of StableHLO and CHLO that no framework program of programs/ has, against values by their definitions.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hlo/eval/evaluator.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"

namespace podsim::hlo::stablehlo {
namespace {

/// The result of a program without arguments; its last line is `body`'s, which defines %r of this type.
hlo::Literal result_of(const std::string& type, const std::string& body) {
  const std::string text = "module @m { func.func public @main() -> tensor<" + type + "> {\n" + body +
                           "\nreturn %r : tensor<" + type + ">\n} }\n";
  const text::ReadResult read = text::read("m.mlir", text, text::UnknownOpcodes::reject);
  for (const base::Diagnostic& diagnostic : read.diagnostics) ADD_FAILURE() << base::format(diagnostic);
  if (!read.ok()) return {};
  return eval::evaluate(text::graph::to_graph(read.modules.at(0)), {});
}

using Numbers = std::vector<double>;

const std::string counted = "%x = stablehlo.iota dim = 1 : tensor<2x3xf32>\n";  // {{0, 1, 2}, {0, 1, 2}}

TEST(StableHloSpecification, SizesInAnOperandAreThoseOfTheResult) {
  const std::string sizes = "%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>\n";
  EXPECT_EQ(result_of("3x2xf32", sizes + "%r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<3x2xf32>")
                .values,
            (Numbers{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(result_of("3x2xf32", counted + sizes +
                                     "%r = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xf32>, tensor<2xi64>) -> "
                                     "tensor<3x2xf32>")
                .values,
            (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(result_of("3x2xf32",
                      "%x = stablehlo.iota dim = 0 : tensor<2xf32>\n" + sizes +
                          "%r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<2xf32>, tensor<2xi64>) "
                          "-> tensor<3x2xf32>")
                .values,
            (Numbers{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(result_of("2x3xf32",
                      "%x = stablehlo.iota dim = 0 : tensor<3xf32>\n%r = \"stablehlo.broadcast\"(%x) "
                      "<{broadcast_sizes = array<i64: 2>}> : (tensor<3xf32>) -> tensor<2x3xf32>")
                .values,
            (Numbers{0, 1, 2, 0, 1, 2}));
}

TEST(StableHloSpecification, ConstantOperandsAreTheAttributesOfTheFixedForms) {
  const auto list = [](const std::string& name, const std::string& values, int count) {
    return name + " = stablehlo.constant dense<" + values + "> : tensor<" + std::to_string(count) + "xi64>\n";
  };
  // Rows 0 to 1, and columns 0 and 2.
  EXPECT_EQ(
      result_of("1x2xf32", counted + list("%b", "0", 2) + list("%e", "[1, 3]", 2) + list("%s", "[1, 2]", 2) +
                               "%r = stablehlo.real_dynamic_slice %x, %b, %e, %s : (tensor<2x3xf32>, tensor<2xi64>, "
                               "tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>")
          .values,
      (Numbers{0, 2}));
  // A row of 9 before the first, and a 9 between two columns.
  EXPECT_EQ(result_of("3x5xf32", counted + "%v = stablehlo.constant dense<9.0> : tensor<f32>\n" +
                                     list("%l", "[1, 0]", 2) + list("%h", "0", 2) + list("%i", "[0, 1]", 2) +
                                     "%r = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xf32>, tensor<f32>, "
                                     "tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x5xf32>")
                .values,
            (Numbers{9, 9, 9, 9, 9, 0, 9, 1, 9, 2, 0, 9, 1, 9, 2}));
  EXPECT_EQ(
      result_of("1x2xf32",
                counted + "%i = stablehlo.constant dense<[[1, 1]]> : tensor<1x2xi64>\n" + list("%s", "[1, 2]", 2) +
                    "%r = \"stablehlo.dynamic_gather\"(%x, %i, %s) <{dimension_numbers = "
                    "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], "
                    "index_vector_dim = 1>}> : (tensor<2x3xf32>, tensor<1x2xi64>, tensor<2xi64>) -> tensor<1x2xf32>")
          .values,
      (Numbers{1, 2}));
  // Sums of two neighbours, with a zero after the last.
  EXPECT_EQ(
      result_of("1x3x1xf32",
                "%x = stablehlo.constant dense<[[[1.0], [2.0], [4.0]]]> : tensor<1x3x1xf32>\n%k = "
                "stablehlo.constant dense<1.0> : tensor<2x1x1xf32>\n%p = stablehlo.constant dense<[[0, 1]]> : "
                "tensor<1x2xi64>\n%r = \"stablehlo.dynamic_conv\"(%x, %k, %p) <{dimension_numbers = "
                "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count "
                "= 1 : i64}> : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x3x1xf32>")
          .values,
      (Numbers{3, 6, 4}));
}

TEST(StableHloSpecification, ASizeThatIsComputedIsRefusedWhereItIsUsed) {
  const std::string text =
      "module @m { func.func public @main(%b: tensor<2xi64>) -> tensor<1x2xf32> {\n" + counted +
      "%r = stablehlo.real_dynamic_slice %x, %b, %b, %b : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, "
      "tensor<2xi64>) -> tensor<1x2xf32>\nreturn %r : tensor<1x2xf32>\n} }\n";
  const text::ReadResult read = text::read("m.mlir", text);
  ASSERT_EQ(read.diagnostics.size(), 1u);
  EXPECT_EQ(read.diagnostics[0].message, "this is known only at run time");
  EXPECT_EQ(read.diagnostics[0].location.line, 3);
  EXPECT_EQ(read.diagnostics[0].location.column, 39);
}

TEST(StableHloSpecification, BroadcastingOperationsRepeatSizesOfOne) {
  const std::string operands =
      "%a = stablehlo.constant dense<[[1.0], [-2.0]]> : tensor<2x1xf32>\n%b = stablehlo.constant dense<[1.0, 2.0, "
      "3.0]> "
      ": tensor<3xf32>\n";
  EXPECT_EQ(result_of("2x3xf32",
                      operands + "%r = chlo.broadcast_add %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>")
                .values,
            (Numbers{2, 3, 4, -1, 0, 1}));
  EXPECT_EQ(result_of("2x3xi1", operands + "%r = chlo.broadcast_compare %b, %a {broadcast_dimensions = array<i64: 1>, "
                                           "comparison_direction = #chlo<comparison_direction GT>} : (tensor<3xf32>, "
                                           "tensor<2x1xf32>) -> tensor<2x3xi1>")
                .values,
            (Numbers{0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(
      result_of("2x3xf32", operands + "%k = \"chlo.constant_like\"(%a) <{value = 0.5 : f32}> : (tensor<2x1xf32>) -> "
                                      "tensor<2x1xf32>\n%r = chlo.broadcast_multiply %k, %b : (tensor<2x1xf32>, "
                                      "tensor<3xf32>) -> tensor<2x3xf32>")
          .values,
      (Numbers{0.5, 1, 1.5, 0.5, 1, 1.5}));
  EXPECT_EQ(result_of("1xcomplex<f32>",
                      "%c = chlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>\n%r = chlo.conj %c "
                      ": tensor<1xcomplex<f32>> -> tensor<1xcomplex<f32>>")
                .values,
            (Numbers{1, -2}));
}

// The running sums of each row from 10 on, as jaxlib prints such a scan, and the same from the end.
TEST(StableHloSpecification, AScanCarriesItsStateAlongADimension) {
  const auto scanned = [](const std::string& is_reverse, const std::string& result) {
    return result_of(
               result == "1" ? "2xf32" : "2x3xf32",
               counted +
                   "%c = stablehlo.constant dense<10.0> : tensor<2xf32>\n%0:2 = chlo.scan(%x) inits (%c) "
                   "dimension=1  attributes {is_associative = true, is_reverse = " +
                   is_reverse +
                   "} {\n^bb0(%input: tensor<2xf32>, %carry: tensor<2xf32>):\n%1 = stablehlo.add %input, %carry : "
                   "tensor<2xf32>\nstablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>\n} : (tensor<2x3xf32>, "
                   "tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)\n%z = stablehlo.constant dense<0.0> : tensor<" +
                   std::string(result == "1" ? "2xf32" : "2x3xf32") + ">\n%r = stablehlo.add %0#" + result +
                   ", %z : tensor<" + (result == "1" ? "2xf32" : "2x3xf32") + ">")
        .values;
  };
  EXPECT_EQ(scanned("false", "0"), (Numbers{10, 11, 13, 10, 11, 13}));
  EXPECT_EQ(scanned("true", "0"), (Numbers{13, 13, 12, 13, 13, 12}));
  EXPECT_EQ(scanned("false", "1"), (Numbers{13, 13}));
}

// erf_inv(0.5) and erf_inv(1 - 1e-9) by scipy.special.erfinv; the last one is in the far tail of Giles' formula, where
// the rounding of x^2 changes 1 - x^2 = 2e-9 by 6e-8 of it, and its logarithm the result by an eighth of that.
TEST(StableHloSpecification, TheInverseErrorFunctionIsOneOfDoublePrecision) {
  const Numbers values =
      result_of("2xf64",
                "%x = stablehlo.constant dense<[0.5, 0.999999999]> : tensor<2xf64>\n%r = chlo.erf_inv %x : "
                "tensor<2xf64> -> tensor<2xf64>")
          .values;
  EXPECT_NEAR(values[0], 0.4769362762044699, 1e-15);
  EXPECT_NEAR(values[1], 4.320005388105362, 1e-8);
}

// -2^63 (-2^63) = 2^126, and (2^64 - 1)^2 = 2^128 - 2^65 + 1.
TEST(StableHloSpecification, TheHighHalfOfAProductOf64BitsIsExact) {
  const auto high = [](const std::string& type, const std::string& x, const std::string& y) {
    return result_of("1x" + type, "%x = stablehlo.constant dense<" + x + "> : tensor<1x" + type +
                                      ">\n%y = stablehlo.constant dense<" + y + "> : tensor<1x" + type +
                                      ">\n%r = chlo.mulhi %x, %y : tensor<1x" + type + ">, tensor<1x" + type +
                                      "> -> tensor<1x" + type + ">")
        .integers[0];
  };
  EXPECT_EQ(high("i64", "-9223372036854775808", "-9223372036854775808"), std::int64_t{1} << 62);
  EXPECT_EQ(high("i64", "-1", "9223372036854775807"), -1);
  EXPECT_EQ(high("ui64", "18446744073709551615", "18446744073709551615"), -2);
}

}  // namespace
}  // namespace podsim::hlo::stablehlo
