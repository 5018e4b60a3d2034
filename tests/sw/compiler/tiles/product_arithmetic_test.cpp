// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/product_arithmetic.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <tuple>

#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_maker.h"
#include "sw/compiler/tiles/tile_search.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/text/corpus.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler::tiles {
namespace {

using hlo::ElementType;

ProductArithmetic arithmetic(ElementType type, const std::string& precision = "", ElementType result = ElementType::f32,
                             const std::string& algorithm = "", const sw::TargetMachine& machine = sw::the_tpu_v3()) {
  hlo::Instruction dot;
  dot.opcode = hlo::Opcode::dot;
  dot.shape.element_type = result;
  dot.operand_precision = precision;
  dot.target = algorithm;
  return product_arithmetic(dot, type, type, machine.mxu);
}

// XLA documents one, three and six passes for DEFAULT, HIGH and HIGHEST of f32 on TPU.
TEST(ProductArithmetic, HighTakesThreePassesAndHighestSix) {
  EXPECT_EQ(arithmetic(ElementType::f32).passes, 1);
  EXPECT_EQ(arithmetic(ElementType::f32, "{default,default}").passes, 1);
  EXPECT_EQ(arithmetic(ElementType::f32, "{high,high}").passes, 3);
  EXPECT_EQ(arithmetic(ElementType::f32, "{highest,highest}").passes, 6);
  EXPECT_EQ(arithmetic(ElementType::f32, "{highest,default}").passes, 3) << "three pieces by one";
  EXPECT_EQ(arithmetic(ElementType::f32, "", ElementType::f32, "dot_bf16_bf16_f32_x3").passes, 3);
  EXPECT_EQ(arithmetic(ElementType::f32, "", ElementType::f32, "dot_bf16_bf16_f32_x9").passes, 9);
  EXPECT_EQ(arithmetic(ElementType::c64, "{highest,highest}", ElementType::c64).passes, 4 * 6);
}

TEST(ProductArithmetic, WhatOneBf16HoldsTakesOnePassAtAnyPrecision) {
  for (const ElementType type : {ElementType::bf16, ElementType::f8e4m3fn, ElementType::f8e5m2, ElementType::s8,
                                 ElementType::u8, ElementType::pred}) {
    EXPECT_EQ(arithmetic(type, "{highest,highest}", ElementType::s32).passes, 1) << hlo::to_string(type);
  }
}

TEST(ProductArithmetic, DoublePrecisionIsSoftware) {
  EXPECT_TRUE(arithmetic(ElementType::f64, "", ElementType::f64).in_software());
  EXPECT_TRUE(arithmetic(ElementType::c128, "", ElementType::c128).in_software());
}

float rounded_to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000U);
}

std::vector<float> bf16_pieces(float x, std::int64_t count) {
  std::vector<float> pieces;
  for (std::int64_t i = 0; i < count; ++i) {
    pieces.push_back(rounded_to_bf16(x));
    x -= pieces.back();
  }
  return pieces;
}

// Pieces of floats overlap by no bit: n pieces hold 8 n bits, so that the error is one of the first pair left out.
RC_GTEST_PROP(ProductArithmetic, ThePairsThatAreCountedMakeTheProductOfFloats, ()) {
  const float a = float(*rc::gen::inRange(1 << 23, 1 << 24)), b = float(*rc::gen::inRange(1 << 23, 1 << 24));
  for (const auto& [precision, bits] : {std::pair("{high,high}", 14), std::pair("{highest,highest}", 22)}) {
    const ProductArithmetic found = arithmetic(ElementType::f32, precision);
    const std::vector<float> left = bf16_pieces(a, found.pieces[0]), right = bf16_pieces(b, found.pieces[1]);
    double sum = 0;
    std::int64_t pairs = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      for (std::size_t j = 0; i + j < left.size(); ++j, ++pairs) sum += double(left[i]) * double(right[j]);
    }
    RC_ASSERT(pairs == found.passes);
    RC_ASSERT(std::abs(sum / (double(a) * double(b)) - 1) < std::ldexp(1.0, -bits));
  }
}

RC_GTEST_PROP(ProductArithmetic, ThePairsThatAreCountedMakeTheProductOfIntegers, (std::uint32_t a, std::uint32_t b)) {
  const std::int64_t pieces = arithmetic(ElementType::s32, "", ElementType::s32).pieces[0];
  std::uint32_t sum = 0;
  std::int64_t pairs = 0;
  for (std::int64_t i = 0; i < pieces; ++i) {
    for (std::int64_t j = 0; 8 * (i + j) < 32 && j < pieces; ++j, ++pairs) {
      sum += ((a >> 8 * i & 255) * (b >> 8 * j & 255)) << 8 * (i + j);
    }
  }
  RC_ASSERT(sum == a * b);
  RC_ASSERT(pairs == arithmetic(ElementType::s32, "", ElementType::s32).passes);
}

struct Product {
  hlo::Module module;
  OpWork work;
  std::string text;
};

Product product_of(const std::string& type, const std::string& precision, const std::string& result,
                   const sw::TargetMachine& machine = sw::the_tpu_v3()) {
  hlo::Module module = hlo::testing::graph_of_entry(
      "a = " + type + "[1024,512] parameter(0)\nb = " + type + "[512,2048] parameter(1)\nROOT c = " + result +
      "[1024,2048] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
      (precision.empty() ? "" : ", operand_precision=" + precision));
  const hlo::Computation& entry = module.entry_computation();
  OpWork work = op_work(module, entry, entry.root, machine);
  std::string text = products_text(module, entry, entry.root, machine);
  return {std::move(module), std::move(work), std::move(text)};
}

/// Rows that pass weight tiles in all tiles of an op.
std::int64_t rows_streamed(const Product& product) {
  const sw::TargetMachine machine = sw::tpu_v3();
  std::int64_t rows = 0;
  const hw::TileOp op = make_tiles(product.work, choose_tiling(product.work, machine, "product"), machine, "product");
  for (const hw::TileRun& run : op.runs) {
    for (const hw::TilePhase& phase : run.work.phases)
      rows += run.count * phase.of<hw::Mxu>().weight_tiles * phase.of<hw::Mxu>().rows;
  }
  return rows;
}

// 1024 rows past 4 x 16 weight tiles, once for each pass.
TEST(ProductArithmetic, AProductOccupiesTheMatrixUnitOnceForEachPass) {
  const std::int64_t once = 1024 * 4 * 16;
  using Case = std::tuple<const char*, const char*, const char*, std::int64_t, const char*>;
  for (const auto& [type, precision, result, passes, text] :
       {Case{"f32", "", "f32", 1, "f32 as bf16"}, Case{"f32", "{high,high}", "f32", 3, "f32 in 3 passes"},
        Case{"f32", "{highest,highest}", "f32", 6, "f32 in 6 passes"},
        Case{"bf16", "{highest,highest}", "f32", 1, "bf16"}, Case{"s8", "", "s32", 1, "s8 as bf16"},
        Case{"s32", "", "s32", 10, "s32 in 10 passes"}, Case{"c64", "", "c64", 4, "c64 in 4 passes"}}) {
    const Product product = product_of(type, precision, result);
    EXPECT_EQ(rows_streamed(product), passes * once) << text;
    EXPECT_EQ(product.text, text);
  }
}

// 1024 x 512 x 2048 multiply-accumulates, 1024 a register, at 24 + 20 operations.
TEST(ProductArithmetic, DoublePrecisionRunsOnTheVectorUnit) {
  const Product product = product_of("f64", "", "f64");
  EXPECT_EQ(product.text, "f64 in software");
  EXPECT_FALSE(product.work.matmul.has_value());
  EXPECT_EQ(product.work.epilogue.alu_ops, 44LL * 512 * 2048);
}

// Rounding to one bf16 is part of the entry; each further piece is a rounding and a subtraction.
TEST(ProductArithmetic, PiecesCostVectorWork) {
  const std::int64_t lhs = 512, rhs = 1024;
  const auto work = [](const char* precision) { return product_of("f32", precision, "f32").work; };
  EXPECT_EQ(work("").row_prologue.alu_ops + work("").lane_prologue.alu_ops, 0);
  EXPECT_EQ(work("{high,high}").row_prologue.alu_ops, 2 * lhs);
  EXPECT_EQ(work("{highest,highest}").lane_prologue.alu_ops, 4 * rhs);
}

const sw::TargetMachine& with_narrow_products() {
  static const sw::TargetMachine machine = sw::tpu_v3_with({"mxu.s8_products=2", "mxu.f8_products=2"});
  return machine;
}

TEST(ProductArithmetic, AnArrayWithProductsOfATypeTakesThem) {
  using Case = std::tuple<const char*, const char*, const char*>;
  for (const auto& [type, result, text] :
       {Case{"s8", "s32", "s8"}, Case{"u8", "s32", "u8"}, Case{"f8e5m2", "f32", "f8e5m2"},
        Case{"s32", "s32", "s32 in 10 passes of s8"}, Case{"bf16", "f32", "bf16"}, Case{"f32", "f32", "f32 as bf16"}}) {
    EXPECT_EQ(product_of(type, "", result, with_narrow_products()).text, text);
  }
}

// No conversion of s8, which costs an operation for each of 512 and 1024 registers where it becomes bf16.
TEST(ProductArithmetic, NothingIsConvertedForProductsOfItsOwnType) {
  const auto operations = [](const char* type, const char* result, const sw::TargetMachine& machine) {
    const OpWork work = product_of(type, "", result, machine).work;
    return work.row_prologue.alu_ops + work.lane_prologue.alu_ops;
  };
  EXPECT_EQ(operations("s8", "s32", sw::the_tpu_v3()), 512 + 1024);
  EXPECT_EQ(operations("s8", "s32", with_narrow_products()), 0);
  EXPECT_EQ(operations("f8e5m2", "f32", with_narrow_products()), 0);
  EXPECT_EQ(operations("s32", "s32", with_narrow_products()), 2 * 4 * (512 + 1024)) << "a shift and a mask a byte";
}

// A factor of 8 bits and one of bf16 meet as bf16.
TEST(ProductArithmetic, FactorsOfTwoTypesBecomeBf16) {
  const hlo::Module module = hlo::testing::graph_of_entry(R"(
a = f8e5m2[256,256] parameter(0)
b = bf16[256,256] parameter(1)
ROOT c = f32[256,256] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)");
  const hlo::Computation& entry = module.entry_computation();
  EXPECT_EQ(products_text(module, entry, entry.root, with_narrow_products()), "f8e5m2 x bf16 as bf16");
}

TEST(ProductArithmetic, AnOperandThatWasWidenedFromBf16HoldsOnePiece) {
  const hlo::Module module = hlo::testing::graph_of_entry(R"(
a = bf16[256,256] parameter(0)
w = f32[256,256] convert(a)
b = f32[256,256] parameter(1)
ROOT c = f32[256,256] dot(w, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,highest}
)");
  const hlo::Computation& entry = module.entry_computation();
  EXPECT_EQ(products_text(module, entry, entry.root, sw::tpu_v3()), "bf16 x f32 in 3 passes");
}

// Operands are f8 or bf16 in all of the corpus's products at `highest`, so that none takes more than a pass.
TEST(ProductArithmetic, ProductsAtHighestInTheCorpusHaveOperandsOfOnePiece) {
  std::int64_t products = 0, passes = 0;
  for (const std::filesystem::path& file : hlo::text::corpus(false)) {
    const std::string text = hlo::text::text_of(file);
    if (text.find("operand_precision={highest") == std::string::npos) continue;
    const hlo::text::ReadResult read = hlo::text::read(file.string(), text);
    ASSERT_TRUE(read.ok()) << file;
    for (const hlo::text::Module& written : read.modules) {
      const hlo::Module module = hlo::text::graph::to_graph(written);
      for (const hlo::Computation& computation : module.computations) {
        for (const hlo::Instruction& i : computation.instructions) {
          if (i.operand_precision.find("highest") == std::string::npos) continue;
          ++products;
          passes += product_arithmetic(i, entering_shape(computation, i.operands[0]).element_type,
                                       entering_shape(computation, i.operands[1]).element_type, sw::the_tpu_v3().mxu)
                        .passes;
        }
      }
    }
  }
  if (products == 0) GTEST_SKIP() << "no corpus";
  EXPECT_EQ(products, 86) << "grep -c in the files";
  EXPECT_EQ(passes, products);
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
