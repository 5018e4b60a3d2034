// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/flops.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "tests/hlo/convolutions.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::transform {
namespace {

using testing::window;

using testing::f32;

/// The cost of the instruction that `write` makes.
template <class Write>
Cost cost_of(std::vector<std::int64_t> sizes, Write&& write) {
  build::GraphBuilder b("test");
  const InstructionId root = write(b, b.parameter(make_shape(f32, std::move(sizes)), "x"));
  const Module module = std::move(b).build(root);
  return cost(module, module.entry_computation(), module.entry_computation().root);
}

TEST(Flops, ValidWindowPositionsEqualACountOneByOne) {
  EXPECT_TRUE(rc::check([] {
    const WindowDimension w = *testing::random_window();
    const std::int64_t input = *rc::gen::inRange(1, 12);
    std::int64_t expected = 0;
    for (std::int64_t out = 0; out < rules::window_output_size(input, w); ++out) {
      for (std::int64_t tap = 0; tap < w.size; ++tap) {
        const std::int64_t place = out * w.stride + tap * w.window_dilation - w.padding_low;
        for (std::int64_t in = 0; in < input; ++in) expected += in * w.base_dilation == place;
      }
    }
    RC_ASSERT(valid_window_positions(input, w) == expected);
  }));
}

TEST(Flops, WindowInputsEqualAMarkOnEachElement) {
  EXPECT_TRUE(rc::check([] {
    const WindowDimension w = *testing::random_window();
    const std::int64_t input = *rc::gen::inRange(1, 12), outputs = *rc::gen::inRange(1, 9);
    std::vector<bool> read(std::size_t(input), false);
    for (std::int64_t out = 0; out < outputs; ++out) {
      for (std::int64_t tap = 0; tap < w.size; ++tap) {
        const std::int64_t place = out * w.stride + tap * w.window_dilation - w.padding_low;
        for (std::int64_t in = 0; in < input; ++in) {
          if (in * w.base_dilation == place) read[std::size_t(in)] = true;
        }
      }
    }
    RC_ASSERT(window_inputs(input, outputs, w) == std::ranges::count(read, true));
  }));
}

// With n - 1 of padding on both sides, each of n taps meets each of n elements at one output.
TEST(Flops, PositionsOfAWindowOfMillionsAreCounted) {
  const std::int64_t n = 1'000'000'007;
  EXPECT_EQ(valid_window_positions(n, {.size = n, .padding_low = n - 1, .padding_high = n - 1}), n * n);
  // A dilated input meets the same taps, at the outputs that fit the padding.
  const std::int64_t d = 1000, m = 1'000'003;
  EXPECT_EQ(valid_window_positions(m, {.size = m, .padding_low = m - 1, .padding_high = m - 1, .base_dilation = d}),
            m * m);
}

// Counting with all operands 1 in the reference loops gives the number of multiply-accumulates.
TEST(Flops, OfAnyConvolutionEqualTheSumOfItsOnes) {
  EXPECT_TRUE(rc::check([] {
    const testing::RandomConvolution random = *testing::random_convolution();
    build::GraphBuilder b("test");
    const InstructionId x = b.parameter(make_shape(f32, random.input), "x");
    const InstructionId w = b.parameter(make_shape(f32, random.kernel), "w");
    const Instruction y = b[random.write(b, x, w)];
    const auto ones = [&](InstructionId id) {
      return Literal{b.shape(id), std::vector<double>(b.shape(id).element_count(), 1), {}};
    };
    double expected = 0;
    for (double value : testing::naive_convolution(y, ones(x), ones(w)).values) expected += value;
    RC_ASSERT(double(multiply_accumulates(y, b.shape(x), b.shape(w))) == expected);
  }));
}

// A 3x3 window with padding 1 over 7x7: 19 of the 21 row taps exist, 19 x 19 together.
// 5 x 5 outputs of 12 features, each of 3 x 3 taps of the 2 channels of its group.
TEST(Flops, OfAGroupedConvolutionSeeTheChannelsOfAGroup) {
  const Cost cost = cost_of({1, 7, 7, 8}, [](build::GraphBuilder& b, InstructionId x) {
    Instruction convolution;
    convolution.opcode = Opcode::convolution;
    convolution.shape.element_type = f32;
    convolution.window = {window(3), window(3)};
    convolution.convolution = build::convolution_dimensions("b01f_01io->b01f");
    convolution.feature_groups = 4;
    convolution.operands = {x, b.parameter(make_shape(f32, {3, 3, 2, 12}), "k")};
    return b.add(convolution);
  });
  EXPECT_EQ(cost.flops, 2 * 5 * 5 * 12 * 9 * 2);
}

TEST(Flops, OfAPaddedConvolutionLeaveThePaddingOut) {
  const Cost c = cost_of({2, 7, 7, 5}, [](auto& b, auto x) {
    const auto kernel = b.full(make_shape(f32, {3, 3, 5, 4}), 1);
    return b.convolution(x, kernel, {testing::window(3, 1, 1, 1), testing::window(3, 1, 1, 1)},
                         build::convolution_dimensions("b01f_01io->b01f"));
  });
  EXPECT_EQ(c.flops, 2 * 2 * 5 * 4 * 19 * 19);
}

TEST(Flops, OfADotAreTwoMNK) {
  EXPECT_EQ(cost_of({4, 5, 6},
                    [](auto& b, auto x) {
                      return b.dot(x, x, {{0}, {0}, {2}, {2}});
                    })
                .flops,
            2 * 4 * 5 * 5 * 6);
}

TEST(Flops, OfProductsAreCountedInEveryTurnOfALoopAndInTheLargestBranch) {
  const double once = 2.0 * 4 * 8 * 8;
  build::GraphBuilder b("test");
  const Shape rows = make_shape(f32, {4, 8}), square = make_shape(f32, {8, 8});
  const Shape state = make_tuple_shape({make_shape(ElementType::s32, {}), rows, square});
  const auto product = [](build::GraphBuilder& in, InstructionId x, InstructionId w) {
    return in.dot(x, w, {{}, {}, {1}, {0}});
  };

  build::GraphBuilder condition("condition");
  const InstructionId tested = condition.parameter(state, "state");
  const InstructionId goes_on = condition.compare(condition.get_tuple_element(tested, 0),
                                                  condition.constant(ElementType::s32, 7), ComparisonDirection::lt);
  build::GraphBuilder body("body");
  const InstructionId going = body.parameter(state, "state");
  const InstructionId next = body.add(body.get_tuple_element(going, 0), body.constant(ElementType::s32, 1));
  const InstructionId w = body.get_tuple_element(going, 2);
  const InstructionId turned = body.tuple({next, product(body, body.get_tuple_element(going, 1), w), w});
  build::GraphBuilder one("one"), two("two");
  const InstructionId kept = one.get_tuple_element(one.parameter(state, "state"), 1);
  const InstructionId given = two.parameter(state, "state");
  const InstructionId weights = two.get_tuple_element(given, 2);
  const InstructionId twice = product(two, product(two, two.get_tuple_element(given, 1), weights), weights);

  const InstructionId x = b.parameter(rows, "x"), right = b.parameter(square, "w");
  const InstructionId start = b.tuple({b.constant(ElementType::s32, 0), x, right});
  const ComputationId tests = b.computation(std::move(condition), goes_on);
  const ComputationId steps = b.computation(std::move(body), turned);
  const InstructionId looped = b.while_loop(start, tests, steps, 7);
  const std::vector<ComputationId> branches{b.computation(std::move(one), kept), b.computation(std::move(two), twice)};
  const InstructionId chosen = b.conditional(b.constant(ElementType::s32, 0), {looped, looped}, branches);
  const Module module = std::move(b).build(product(b, chosen, right));
  EXPECT_EQ(product_flops(module), (7 + 2 + 1) * once);
}

TEST(Flops, OfElementwiseOperationsAndReductions) {
  EXPECT_EQ(cost_of({6, 4}, [](auto& b, auto x) { return b.multiply(x, x); }).flops, 24);
  EXPECT_EQ(cost_of({6, 4}, [](auto& b, auto x) { return b.exponential(x); }).flops, 0);
  EXPECT_EQ(cost_of({6, 4}, [](auto& b, auto x) { return b.exponential(x); }).transcendentals, 24);
  EXPECT_EQ(cost_of({6, 4}, [](auto& b, auto x) { return b.copy(x); }).flops, 0);
  EXPECT_EQ(cost_of({6, 4}, [](auto& b, auto x) { return b.transpose(x, {1, 0}); }).flops, 0);
  EXPECT_EQ(cost_of({6, 4}, [](auto& b, auto x) { return b.reduce_add(x, {0}); }).flops, 20);
  EXPECT_EQ(cost_of({6, 4},
                    [](auto& b, auto x) {
                      return b.reduce_window_max(x, {testing::window(2, 2), testing::window(2, 2)});
                    })
                .flops,
            6 * 3);
  EXPECT_EQ(cost_of({6, 4}, [](auto& b, auto x) { return b.all_reduce(x); }).flops, 24);
}

// XLA's HloCostAnalysis counts these separately; a quotient is a FLOP.
TEST(Flops, OfFunctionsAreTranscendentals) {
  for (const Opcode opcode : {Opcode::logistic, Opcode::erf, Opcode::sine, Opcode::cosine, Opcode::tan, Opcode::cbrt,
                              Opcode::exponential_minus_one, Opcode::log_plus_one, Opcode::sqrt, Opcode::rsqrt}) {
    const Cost c = cost_of({6, 4}, [&](auto& b, auto x) { return b.unary(opcode, x); });
    EXPECT_EQ(c.transcendentals, 24) << hlo::to_string(opcode);
    EXPECT_EQ(c.flops, 0) << hlo::to_string(opcode);
  }
  EXPECT_EQ(cost_of({6, 4}, [](auto& b, auto x) { return b.binary(Opcode::atan2, x, x); }).transcendentals, 24);
  EXPECT_EQ(cost_of({6, 4}, [](auto& b, auto x) { return b.binary(Opcode::divide, x, x); }).flops, 24);
  EXPECT_EQ(cost_of({6, 4}, [](auto& b, auto x) { return b.binary(Opcode::remainder, x, x); }).flops, 24);
}

TEST(Flops, BytesAreOperandsOnceAndResultInPaddedLayout) {
  EXPECT_EQ(cost_of({16, 64}, [](auto& b, auto x) { return b.multiply(x, x); }).bytes.value(), 2 * 16 * 128 * 4);
}

}  // namespace
}  // namespace podsim::hlo::transform
