// SPDX-License-Identifier: Apache-2.0
#include "hlo/build/graph_builder.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "hlo/build/verify.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::build {
namespace {

using testing::window;

TEST(GraphBuilder, SharesEqualInstructionsButNeverParameters) {
  GraphBuilder b("m");
  const Shape shape = make_shape(ElementType::f32, {4});
  const InstructionId x = b.parameter(shape, "x");
  const InstructionId y = b.parameter(shape, "y");
  EXPECT_NE(x, y);
  EXPECT_EQ(b.add(x, y), b.add(x, y));
  EXPECT_NE(b.add(x, y), b.add(y, x));
  EXPECT_EQ(b.full(shape, 2), b.full(shape, 2));
  EXPECT_NE(b.full(shape, 2), b.full(shape, 3));
  EXPECT_NE(b.compare(x, y, ComparisonDirection::lt), b.compare(x, y, ComparisonDirection::gt));
}

TEST(GraphBuilder, KeepsZeroAndMinusZeroApart) {
  GraphBuilder b("m");
  EXPECT_NE(b.constant(ElementType::f32, 0.0), b.constant(ElementType::f32, -0.0));
}

TEST(GraphBuilder, LeavesOutWhatNothingNeedsButParameters) {
  GraphBuilder b("m");
  const Shape shape = make_shape(ElementType::f32, {4});
  const InstructionId x = b.parameter(shape, "x");
  b.parameter(shape, "unused");
  b.negate(x);
  const InstructionId y = b.abs(x);
  const Module module = std::move(b).build(y);
  EXPECT_EQ(module.entry_computation().instructions.size(), 3u);
  EXPECT_EQ(module.entry_computation().parameters, (std::vector<InstructionId>{0, 1}));
  EXPECT_EQ(module.entry_computation().root, 2);
  EXPECT_NO_THROW(verify(module));
}

TEST(GraphBuilder, DropsAConversionToAWiderTypeAndBack) {
  GraphBuilder b("m");
  const InstructionId narrow = b.parameter(make_shape(ElementType::bf16, {4}), "narrow");
  const InstructionId wide = b.parameter(make_shape(ElementType::f32, {4}), "wide");
  EXPECT_EQ(b.convert(b.convert(narrow, ElementType::f32), ElementType::bf16), narrow);
  EXPECT_NE(b.convert(b.convert(wide, ElementType::bf16), ElementType::f32), wide);
}

TEST(GraphBuilder, ScopesNestIntoOpNames) {
  GraphBuilder b("m");
  const InstructionId x = b.parameter(make_shape(ElementType::f32, {}), "x");
  const GraphBuilder::Scope outer(b, "layer1");
  {
    const GraphBuilder::Scope inner(b, "block0");
    EXPECT_EQ(b[b.negate(x)].op_name, "layer1/block0");
  }
  EXPECT_EQ(b[b.abs(x)].op_name, "layer1");
}

// ResNet's first layers: a 7x7/2 convolution of 224 with padding 3 gives 112, 3x3/2 pooling with padding 1 gives 56.
TEST(GraphBuilder, InfersTheShapesOfStridedWindows) {
  GraphBuilder b("m");
  const InstructionId image = b.parameter(make_shape(ElementType::bf16, {8, 224, 224, 3}), "image");
  const InstructionId kernel = b.parameter(make_shape(ElementType::bf16, {7, 7, 3, 64}), "kernel");
  const InstructionId y = b.convolution(image, kernel, {testing::window(7, 2, 3, 3), testing::window(7, 2, 3, 3)},
                                        convolution_dimensions("b01f_01io->b01f"));
  EXPECT_EQ(to_string(b.shape(y)), "bf16[8,112,112,64]");
  const InstructionId pooled = b.reduce_window_max(
      y, {testing::window(1), testing::window(3, 2, 1, 1), testing::window(3, 2, 1, 1), testing::window(1)});
  EXPECT_EQ(to_string(b.shape(pooled)), "bf16[8,56,56,64]");
}

TEST(GraphBuilder, CopiedComputationsShareWhatIsEqualAndHaveNamesOfTheirOwn) {
  const Shape shape = make_shape(ElementType::f32, {4});
  const auto body = [&](bool negates) {
    GraphBuilder builder("body");
    const InstructionId x = builder.parameter(shape, "x");
    const InstructionId sum = builder.reduce_add(x, {0});
    return std::move(builder).build(builder.broadcast(negates ? builder.negate(sum) : sum, {4}));
  };
  const auto as_body = [](Module module) {
    module.computations[std::size_t(module.entry)].name = "body";
    return module;
  };
  GraphBuilder b("m");
  std::vector<ComputationId> ids;
  for (const bool negates : {false, true, false}) {
    const Module module = as_body(body(negates));
    ids.push_back(b.copy_computation(module, module.entry));
  }
  EXPECT_EQ(ids[0], ids[2]);
  EXPECT_NE(ids[0], ids[1]);
  // The copies' sum is the one that the builder has under that name.
  EXPECT_EQ(b.combiner(Opcode::add, ElementType::f32), b.called_computations()[std::size_t(ids[0])][2].called[0]);
  std::set<std::string> names;
  for (const Computation& computation : b.called_computations()) names.insert(computation.name);
  EXPECT_EQ(names.size(), 3u);
  EXPECT_EQ(b.called_computations().size(), 3u);
}

TEST(GraphBuilder, AWrongOperandThrowsAndNamesThePlace) {
  GraphBuilder b("m");
  const InstructionId x = b.parameter(make_shape(ElementType::f32, {4}), "x");
  const InstructionId y = b.parameter(make_shape(ElementType::f32, {5}), "y");
  const GraphBuilder::Scope scope(b, "layer");
  try {
    b.add(x, y);
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "add.2 (layer): shapes f32[4] and f32[5] differ");
  }
  EXPECT_THROW(b.transpose(x, {1}), std::logic_error);
  EXPECT_THROW(b.broadcast(x, {5, 3}, {0}), std::logic_error);
  EXPECT_THROW(b.reshape(x, {5}), std::logic_error);
  EXPECT_THROW(b.slice(x, {{0, 5, 1}}), std::logic_error);
  EXPECT_THROW(b.reduce_add(x, {1}), std::logic_error);
  EXPECT_THROW(b.get_tuple_element(x, 0), std::logic_error);
}

TEST(GraphBuilder, NoTwoInstructionsHaveOneName) {
  GraphBuilder b("m");
  const InstructionId x = b.parameter(make_shape(ElementType::f32, {4}), "negate.2");
  const InstructionId y = b.parameter(make_shape(ElementType::f32, {4}), "y");
  const Module module = std::move(b).build(b.add(b.negate(x), y));
  std::set<std::string> names;
  for (const Instruction& instruction : module.entry_computation().instructions) names.insert(instruction.name);
  EXPECT_EQ(names.size(), module.entry_computation().instructions.size());
  EXPECT_TRUE(names.contains("negate.2"));
}

}  // namespace
}  // namespace podsim::hlo::build
