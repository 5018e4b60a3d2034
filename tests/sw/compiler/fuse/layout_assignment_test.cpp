// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/layout_assignment.h"

#include <gtest/gtest.h>

#include <tuple>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::sw::compiler::fuse {
namespace {

using Layout = std::vector<int>;

const hlo::ConvolutionDimensions forward = hlo::build::convolution_dimensions("b01f_01io->b01f");
const Layout feature_in_lanes{3, 0, 2, 1};
const Layout batch_in_lanes{0, 3, 2, 1};

struct Convolution {
  std::int64_t size, in, out, window;
  std::int64_t batch = 128;
};

/// A convolution and its weight gradient, laid out.
class LaidOut {
 public:
  explicit LaidOut(const Convolution& c) {
    hlo::build::GraphBuilder b("convolution");
    x_ = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {c.batch, c.size, c.size, c.in}), "x");
    hlo::InstructionId weights =
        b.parameter(hlo::make_shape(hlo::ElementType::f32, {c.window, c.window, c.in, c.out}), "weights");
    std::int64_t pad = (c.window - 1) / 2;
    hlo::WindowDimension w{.size = c.window, .padding_low = pad, .padding_high = pad};
    hlo::InstructionId y = b.convolution(x_, b.convert(weights, hlo::ElementType::bf16), {w, w}, forward);
    hlo::WindowDimension g{.size = c.size, .padding_low = pad, .padding_high = pad};
    hlo::InstructionId gradient = b.convolution(x_, y, {g, g}, hlo::build::convolution_dimensions("f01b_i01o->01bf"));
    hlo::InstructionId relu = b.maximum(y, b.full_like(y, 0));
    root_ = b.tuple({relu, b.convert(gradient, hlo::ElementType::f32)});
    module_ = std::move(b).build(root_);
    assign_layouts(module_);
  }

  Layout input() const { return entry()[entry().parameters[0]].shape.minor_to_major; }
  Layout weights() const { return entry()[entry().parameters[1]].shape.minor_to_major; }
  Layout output() const { return element(0); }
  Layout weight_gradient() const { return element(1); }

 private:
  const hlo::Computation& entry() const { return module_.entry_computation(); }
  Layout element(int i) const { return entry()[entry().root].shape.tuple_shapes[i].minor_to_major; }

  hlo::Module module_;
  hlo::InstructionId x_, root_;
};

// Layouts in the modules of MLPerf ResNet-50 on TPU v3, with batch 128 per core.
TEST(LayoutAssignment, ImagesOfSixtyFourChannelsHaveTheBatchInTheLanes) {
  LaidOut c({56, 64, 64, 3});
  EXPECT_EQ(c.input(), batch_in_lanes);
  EXPECT_EQ(c.output(), batch_in_lanes);
}

TEST(LayoutAssignment, ImagesOfAtLeast128ChannelsHaveTheChannelsInTheLanes) {
  for (auto [size, channels] : {std::pair{56, 128}, {56, 256}, {28, 512}, {14, 1024}, {7, 2048}}) {
    LaidOut c({size, channels, channels, 1});
    EXPECT_EQ(c.input(), feature_in_lanes) << channels;
    EXPECT_EQ(c.output(), feature_in_lanes) << channels;
  }
}

// One bf16 image in the batch dimension is padded to four, two rows of packed sublanes; 56 columns fill sublanes
// exactly, 14 would become 16, and 7 become 8. Four images need no padding.
TEST(LayoutAssignment, AFewImagesHaveTheirColumnsInTheSublanesWhereThatPadsLess) {
  const Layout columns_in_sublanes{3, 2, 1, 0};
  for (auto [size, channels, batch] : {std::tuple{56, 64, 1}, {14, 256, 1}, {7, 512, 1}, {56, 128, 2}, {56, 128, 5}}) {
    LaidOut c({size, channels, channels, 3, batch});
    EXPECT_EQ(c.input(), columns_in_sublanes) << size << ", " << batch;
    EXPECT_EQ(c.output(), columns_in_sublanes) << size << ", " << batch;
  }
  EXPECT_EQ(LaidOut({56, 128, 128, 3, 4}).input(), feature_in_lanes);
  EXPECT_EQ(LaidOut({14, 128, 128, 3, 7}).input(), feature_in_lanes);  // 7 / 8 as 14 / 16
  EXPECT_EQ(LaidOut({56, 128, 128, 3, 12}).input(), feature_in_lanes);
}

// bf16[16,300,300,3] in the profile of SSD on TPU v3, bf16[4,336,208,3] in that of Mask R-CNN. Three features fill four
// sublanes: 16 images in the lanes are padded 8 x 4/3 times, 4 images 32 x 4/3, three features in the lanes 128/3
// times.
TEST(LayoutAssignment, FewFeaturesAreInTheLanesWhereTheBatchIsAsSmall) {
  EXPECT_EQ(LaidOut({300, 3, 64, 7, 16}).input(), batch_in_lanes);
  EXPECT_EQ(LaidOut({336, 3, 64, 7, 4}).input(), feature_in_lanes);
}

TEST(LayoutAssignment, LoopsHaveTheLayoutsOfTheirConvolutionsInsideAndOutside) {
  hlo::build::GraphBuilder b("loop");
  const hlo::Shape image = hlo::make_shape(hlo::ElementType::bf16, {128, 8, 8, 64});
  const hlo::InstructionId state =
      b.tuple({b.parameter(image, "x"), b.parameter(hlo::make_shape(hlo::ElementType::bf16, {1, 1, 64, 64}), "k")});
  hlo::build::GraphBuilder body("body"), condition("condition");
  const hlo::InstructionId inside = body.parameter(b.shape(state), "state");
  const hlo::InstructionId kernel = body.get_tuple_element(inside, 1);
  const hlo::InstructionId y = body.convolution(body.get_tuple_element(inside, 0), kernel, {{}, {}}, forward);
  const hlo::InstructionId next = body.tuple({y, kernel});
  condition.parameter(b.shape(state), "state");
  const hlo::InstructionId always = condition.constant(hlo::ElementType::pred, 1);
  const hlo::ComputationId tests = b.computation(std::move(condition), always);
  const hlo::ComputationId trip = b.computation(std::move(body), next);
  hlo::Module module = std::move(b).build(b.while_loop(state, tests, trip, 3));
  assign_layouts(module);
  int images = 0;
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) {
      const hlo::Shape& shape = instruction.shape.is_tuple() ? instruction.shape.tuple_shapes[0] : instruction.shape;
      if (shape.dimensions != image.dimensions) continue;
      ++images;
      EXPECT_EQ(shape.minor_to_major, batch_in_lanes) << computation.name;
    }
  }
  EXPECT_EQ(images, 8) << "parameter, tuple, loop; states of body and condition, element, convolution, tuple";
}

TEST(LayoutAssignment, AKernelHasInTheLanesTheFeaturesThatPadLess) {
  EXPECT_EQ(LaidOut({56, 256, 64, 1}).weights(), (Layout{2, 3, 1, 0}));
  EXPECT_EQ(LaidOut({56, 64, 256, 1}).weights(), (Layout{3, 2, 1, 0}));
  EXPECT_EQ(LaidOut({56, 256, 128, 1}).weights(), (Layout{3, 2, 1, 0}));
  EXPECT_EQ(LaidOut({56, 64, 64, 3}).weights(), (Layout{3, 2, 1, 0}));
  EXPECT_EQ(LaidOut({14, 256, 256, 3}).weights(), (Layout{3, 2, 1, 0}));
}

TEST(LayoutAssignment, AKernelGradientIsLaidOutAsTheKernelItUpdates) {
  for (Convolution c : {Convolution{56, 256, 64, 1}, {56, 64, 256, 1}, {56, 64, 64, 3}, {7, 512, 512, 3}}) {
    LaidOut both(c);
    EXPECT_EQ(both.weight_gradient(), both.weights()) << c.in << " -> " << c.out;
  }
}

TEST(LayoutAssignment, TheFirstConvolutionThatNamesDimensionsDecides) {
  // The second convolution reads the 64 x 256 kernel of the first one transposed: lanes would be dimension 2.
  hlo::build::GraphBuilder b("two");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {128, 8, 8, 64}), "x");
  hlo::InstructionId kernel = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {1, 1, 64, 256}), "k");
  hlo::InstructionId y = b.convolution(x, kernel, {{}, {}}, forward);
  hlo::InstructionId back = b.convolution(y, kernel, {{}, {}}, hlo::build::convolution_dimensions("b01f_01oi->b01f"));
  hlo::Module module = std::move(b).build(back);
  assign_layouts(module);
  const hlo::Computation& entry = module.entry_computation();
  EXPECT_EQ(entry[entry.parameters[1]].shape.minor_to_major, (Layout{3, 2, 1, 0}));
}

TEST(LayoutAssignment, ArraysThatNoConvolutionTouchesStayRowMajor) {
  hlo::build::GraphBuilder b("mixed");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {128, 8, 8, 64}), "x");
  hlo::InstructionId kernel = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {1, 1, 64, 64}), "k");
  hlo::InstructionId other = b.parameter(hlo::make_shape(hlo::ElementType::f32, {128, 8, 8, 32}), "other");
  hlo::InstructionId y = b.convolution(x, kernel, {{}, {}}, forward);
  hlo::Module module = std::move(b).build(b.tuple({y, b.negate(other)}));
  assign_layouts(module);
  const hlo::Computation& entry = module.entry_computation();
  EXPECT_TRUE(entry[entry.parameters[2]].shape.minor_to_major.empty());
  EXPECT_TRUE(entry[entry.root].shape.tuple_shapes[1].minor_to_major.empty());
  EXPECT_EQ(entry[entry.root].shape.tuple_shapes[0].minor_to_major, batch_in_lanes);
}

TEST(LayoutAssignment, LayoutsDoNotChangeAnyValue) {
  hlo::build::GraphBuilder b("values");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {3, 4, 4, 2}), "x");
  hlo::InstructionId kernel = b.parameter(hlo::make_shape(hlo::ElementType::f32, {3, 3, 2, 5}), "k");
  hlo::WindowDimension w{.size = 3, .padding_low = 1, .padding_high = 1};
  hlo::Module module = std::move(b).build(b.convolution(x, kernel, {w, w}, forward));
  const hlo::Computation& entry = module.entry_computation();
  std::vector<hlo::Literal> arguments{hlo::testing::random_literal(entry[entry.parameters[0]].shape, 1),
                                      hlo::testing::random_literal(entry[entry.parameters[1]].shape, 2)};
  hlo::Literal before = hlo::eval::evaluate(module, arguments);
  assign_layouts(module);
  EXPECT_NO_THROW(hlo::build::verify(module));
  EXPECT_EQ(hlo::eval::evaluate(module, arguments).values, before.values);
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
