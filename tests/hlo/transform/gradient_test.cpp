// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <numeric>
#include <stdexcept>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/convolutions.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/transform/finite_differences.h"

namespace podsim::hlo::transform {
namespace {

using testing::distinct_literal;
using testing::random_literal;
using testing::window;

using testing::expect_gradients_match;
using testing::f64;
using testing::Ids;
using testing::loss_module;
using testing::Write;

Literal positive(std::vector<std::int64_t> sizes, unsigned seed) {
  return testing::random_literal(make_shape(f64, std::move(sizes)), seed, 0.5, 2);
}
Literal any(std::vector<std::int64_t> sizes, unsigned seed) {
  return testing::random_literal(make_shape(f64, std::move(sizes)), seed);
}

TEST(Gradient, OfUnaryOperations) {
  for (Opcode opcode : {Opcode::negate,
                        Opcode::abs,
                        Opcode::exponential,
                        Opcode::log,
                        Opcode::sqrt,
                        Opcode::rsqrt,
                        Opcode::tanh,
                        Opcode::sign,
                        Opcode::copy,
                        Opcode::exponential_minus_one,
                        Opcode::log_plus_one,
                        Opcode::cbrt,
                        Opcode::logistic,
                        Opcode::erf,
                        Opcode::sine,
                        Opcode::cosine,
                        Opcode::floor,
                        Opcode::ceil,
                        Opcode::round_nearest_even,
                        Opcode::sinh,
                        Opcode::cosh,
                        Opcode::asinh}) {
    SCOPED_TRACE(std::string(hlo::to_string(opcode)));
    expect_gradients_match([&](auto& b, const Ids& x) { return b.unary(opcode, x[0]); }, {positive({5}, 1)});
  }
  for (Opcode opcode :
       {Opcode::abs, Opcode::tan, Opcode::logistic, Opcode::erf, Opcode::asin, Opcode::acos, Opcode::atanh}) {
    SCOPED_TRACE(std::string(hlo::to_string(opcode)));
    const Literal x = testing::random_literal(make_shape(f64, {6}), 1, -0.8, 0.8);  // some are only defined within 1
    expect_gradients_match([&](auto& b, const Ids& ids) { return b.unary(opcode, ids[0]); }, {x});
  }
}

TEST(Gradient, OfBinaryOperations) {
  for (Opcode opcode : {Opcode::add, Opcode::subtract, Opcode::multiply, Opcode::divide, Opcode::maximum,
                        Opcode::minimum, Opcode::power, Opcode::atan2, Opcode::remainder}) {
    SCOPED_TRACE(std::string(hlo::to_string(opcode)));
    expect_gradients_match([&](auto& b, const Ids& x) { return b.binary(opcode, x[0], x[1]); },
                           {positive({5}, 1), positive({5}, 2)});
  }
}

TEST(Gradient, OfAValueUsedTwiceAddsUp) {
  expect_gradients_match([](auto& b, const Ids& x) { return b.multiply(x[0], b.add(x[0], b.exponential(x[0]))); },
                         {any({4}, 1)});
}

TEST(Gradient, OfSelectFollowsThePredicate) {
  expect_gradients_match(
      [](auto& b, const Ids& x) {
        return b.select(b.compare(x[0], x[1], ComparisonDirection::lt), x[1], b.negate(x[2]));
      },
      {any({6}, 1), any({6}, 2), any({6}, 3)});
}

TEST(Gradient, OfClampIsThatOfWhatLiesBetween) {
  expect_gradients_match(
      [](auto& b, const Ids& x) {
        Instruction clamp;
        clamp.opcode = Opcode::clamp;
        clamp.operands = {b.full_like(x[0], -0.4), x[0], b.full_like(x[0], 0.3)};
        return b.add(clamp);
      },
      {any({8}, 1)});
}

InstructionId indices(build::GraphBuilder& b, std::vector<std::int64_t> sizes, std::vector<double> values) {
  return b.constant(testing::make_literal(ElementType::s32, std::move(sizes), std::move(values)));
}

// Rows of a table, one of them twice; windows of which two overlap.
TEST(Gradient, OfGatherAddsUpWhereItRead) {
  expect_gradients_match(
      [](auto& b, const Ids& x) {
        return b.gather(x[0], indices(b, {4, 1}, {2, 0, 2, 4}), {{1}, {0}, {0}, {}, {}, 1}, {1, 3});
      },
      {any({5, 3}, 1)});
  expect_gradients_match(
      [](auto& b, const Ids& x) {
        return b.gather(x[0], indices(b, {2, 2}, {1, 0, 2, 1}), {{0, 2}, {}, {0, 1}, {}, {}, 1}, {2, 2});
      },
      {any({5, 4}, 1)});
}

TEST(Gradient, OfAnAddingScatterReadsWhereItWrote) {
  const Write rows = [](auto& b, const Ids& x) {
    const InstructionId places = indices(b, {4, 1}, {2, 0, 2, 4});
    return b.scatter(x[0], places, x[1], {{1}, {0}, {0}, {}, {}, 1}, b.combiner(Opcode::add, f64));
  };
  expect_gradients_match(rows, {any({5, 3}, 1), any({4, 3}, 2)});
  const Write windows = [](auto& b, const Ids& x) {
    const InstructionId places = indices(b, {2, 2}, {1, 0, 2, 1});
    return b.scatter(x[0], places, x[1], {{0, 2}, {}, {0, 1}, {}, {}, 1}, b.combiner(Opcode::add, f64));
  };
  expect_gradients_match(windows, {any({5, 4}, 1), any({2, 2, 2}, 2)});
}

// The second start is moved back inside: 3 to 2.
TEST(Gradient, OfSlicesAtPlacesThatAreComputed) {
  const auto starts = [](build::GraphBuilder& b) { return Ids{indices(b, {}, {1}), indices(b, {}, {3})}; };
  expect_gradients_match(
      [&](auto& b, const Ids& x) {
        return b.dynamic_slice(x[0], starts(b), {2, 2});
      },
      {any({5, 4}, 1)});
  expect_gradients_match([&](auto& b, const Ids& x) { return b.dynamic_update_slice(x[0], x[1], starts(b)); },
                         {any({5, 4}, 1), any({2, 2}, 2)});
}

TEST(Gradient, OfRearrangements) {
  const auto check = [](const Write& write) { expect_gradients_match(write, {any({2, 3, 4}, 1)}); };
  check([](auto& b, const Ids& x) { return b.reshape(x[0], {6, 4}); });
  check([](auto& b, const Ids& x) { return b.transpose(x[0], {1, 2, 0}); });
  check([](auto& b, const Ids& x) { return b.reverse(x[0], {0, 2}); });
  check([](auto& b, const Ids& x) { return b.broadcast(x[0], {3, 5, 2, 4}, {2, 0, 3}); });
  check([](auto& b, const Ids& x) { return b.slice(x[0], {{0, 2, 1}, {1, 3, 1}, {0, 4, 3}}); });
  check([](auto& b, const Ids& x) { return b.concatenate({x[0], b.tanh(x[0]), x[0]}, 1); });
  check([](auto& b, const Ids& x) { return b.get_tuple_element(b.tuple({x[0], b.exponential(x[0])}), 1); });
}

TEST(Gradient, OfPadForOperandAndValue) {
  expect_gradients_match(
      [](auto& b, const Ids& x) {
        return b.pad(x[0], x[1], {{1, 2, 0}, {-1, 1, 2}});
      },
      {any({2, 3}, 1), any({}, 2)});
}

TEST(Gradient, OfReductions) {
  const auto check = [](const Write& write) {
    expect_gradients_match(write, {testing::distinct_literal(make_shape(f64, {3, 4, 2}), 1)});
  };
  check([](auto& b, const Ids& x) { return b.reduce_add(x[0], {0, 2}); });
  check([](auto& b, const Ids& x) { return b.reduce_max(x[0], {1}); });
  check([](auto& b, const Ids& x) {
    return b.reduce(x[0], b.constant(f64, 100), {0}, b.combiner(Opcode::minimum, f64));
  });
}

TEST(Gradient, OfWindows) {
  const auto check = [](const Write& write) {
    expect_gradients_match(write, {testing::distinct_literal(make_shape(f64, {7, 6}), 1)});
  };
  const std::vector<WindowDimension> overlapping{testing::window(3, 2, 1, 1), testing::window(2, 1, 0, 1)};
  check([&](auto& b, const Ids& x) { return b.reduce_window_max(x[0], overlapping); });
  check([&](auto& b, const Ids& x) { return b.reduce_window_add(x[0], overlapping); });
  check([&](auto& b, const Ids& x) {
    return b.reduce_window(x[0], b.constant(f64, 100), overlapping, b.combiner(Opcode::minimum, f64));
  });
  check([](auto& b, const Ids& x) {
    WindowDimension dilated = testing::window(3, 3, 2, 1);
    dilated.base_dilation = 2;
    dilated.window_dilation = 2;
    return b.reduce_window_add(x[0], {dilated, testing::window(1)});
  });
}

TEST(Gradient, OfDotWithBatchAndShuffledDimensions) {
  expect_gradients_match(
      [](auto& b, const Ids& x) {
        return b.dot(x[0], x[1], {{}, {}, {1}, {0}});
      },
      {any({3, 4}, 1), any({4, 2}, 2)});
  expect_gradients_match(
      [](auto& b, const Ids& x) {
        return b.dot(x[0], x[1], {{1}, {3}, {0, 3}, {2, 0}});
      },
      {any({2, 3, 2, 4}, 1), any({4, 2, 2, 3}, 2)});
}

// The gradient of a table [rows, width] that is multiplied along its width is one product without transposes.
TEST(Gradient, OfDotTakesTheOrderThatNeedNotBeRearranged) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f64, {3, 4}), "x"), w = b.parameter(make_shape(f64, {5, 4}), "w");
  const InstructionId y = b.dot(x, w, {{}, {}, {1}, {1}}), z = b.dot(w, x, {{}, {}, {1}, {1}});
  const InstructionId loss = b.add(b.reduce_add(y, {0, 1}), b.reduce_add(b.multiply(z, z), {0, 1}));
  for (InstructionId slope : gradients(b, loss, Ids{x, w})) {
    ASSERT_EQ(b[slope].opcode, Opcode::add);
    for (InstructionId addend : b[slope].operands) EXPECT_EQ(b[addend].opcode, Opcode::dot);
  }
  expect_gradients_match(
      [](auto& g, const Ids& v) {
        return g.dot(v[0], v[1], {{}, {}, {1}, {1}});
      },
      {any({3, 4}, 1), any({5, 4}, 2)});
  expect_gradients_match(
      [](auto& g, const Ids& v) {
        return g.dot(v[0], v[1], {{0}, {1}, {2}, {2}});
      },
      {any({2, 3, 4}, 1), any({5, 2, 4}, 2)});
}

TEST(Gradient, OfConversionsHasTheTypeOfTheOperand) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(ElementType::f32, {4}), "x");
  const InstructionId y = b.convert(x, ElementType::bf16);
  const InstructionId loss = b.reduce_add(b.convert(b.multiply(y, y), ElementType::f32), {0});
  EXPECT_EQ(b.type(gradients(b, loss, Ids{x})[0]), ElementType::f32);
}

TEST(Gradient, OfAStridedPointwiseConvolutionIsAConvolutionWithDilation) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f64, {2, 4, 4, 3}), "x");
  const InstructionId w = b.parameter(make_shape(f64, {1, 1, 3, 5}), "w");
  const InstructionId y = b.convolution(x, w, {testing::window(1, 2), testing::window(1, 2)},
                                        build::convolution_dimensions("b01f_01io->b01f"));
  const InstructionId loss = b.reduce_add(y, {0, 1, 2, 3});
  const Ids slopes = gradients(b, loss, Ids{x, w});
  ASSERT_EQ(b[slopes[0]].opcode, Opcode::convolution);
  EXPECT_EQ(b[slopes[0]].window[0].base_dilation, 2);
  EXPECT_EQ(b[slopes[0]].window[0].padding_high, 1);
  ASSERT_EQ(b[slopes[1]].opcode, Opcode::convolution);
  EXPECT_EQ(b[slopes[1]].window[0].window_dilation, 2);
  EXPECT_EQ(b[slopes[1]].window[0].padding_high, -1);
  EXPECT_EQ(hlo::to_string(b.shape(slopes[1])), "f64[1,1,3,5]");
}

TEST(Gradient, OfConvolutionsAsResnetHasThem) {
  const auto check = [](std::int64_t size, WindowDimension dimension) {
    expect_gradients_match(
        [&](auto& b, const Ids& x) {
          return b.convolution(x[0], x[1], {dimension, dimension}, build::convolution_dimensions("b01f_01io->b01f"));
        },
        {any({2, size, size, 2}, 1), any({dimension.size, dimension.size, 2, 3}, 2)});
  };
  check(5, testing::window(3, 1, 1, 1));
  check(6, testing::window(3, 2, 1, 1));
  check(7, testing::window(3, 2, 0, 1));
  check(6, testing::window(1, 2));
  check(8, testing::window(7, 2, 3, 3));
}

// A convolution is linear in each operand, so its loss is the inner product of an operand with its gradient, for any
// value of the operand.
TEST(Gradient, OfAnyConvolutionIsItsAdjoint) {
  EXPECT_TRUE(rc::check([] {
    const testing::RandomConvolution random = *testing::random_convolution();
    const Write write = [&](build::GraphBuilder& b, const Ids& x) { return random.write(b, x[0], x[1]); };
    std::vector<Literal> inputs{any(random.input, 1), any(random.kernel, 2)};
    const Module module = loss_module(write, inputs, true);
    const Literal slopes = eval::evaluate(module, inputs);
    for (std::size_t k = 0; k < 2; ++k) {
      std::vector<Literal> others = inputs;
      others[k] = testing::random_literal(inputs[k].shape, 7);
      const std::vector<double>& slope = slopes.elements[1 + k].values;
      const double expected = std::inner_product(slope.begin(), slope.end(), others[k].values.begin(), 0.0);
      const double loss = eval::evaluate(module, others).elements[0].values[0];
      RC_ASSERT(std::abs(loss - expected) < 1e-10);
    }
  }));
}

TEST(Gradient, OfAnAllReduceIsTheAllReduceOfTheGradients) {
  // Three partitions hold x_p; each has the loss (sum x)^2, together 3 (sum x)^2 with slope 6 sum x.
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f64, {}), "x");
  const InstructionId sum = b.all_reduce(x);
  const InstructionId loss = b.multiply(sum, sum);
  const InstructionId root = gradients(b, loss, Ids{x})[0];
  const Module module = std::move(b).build(root);
  const auto scalar = [](double v) { return testing::make_literal(f64, {}, {v}); };
  for (const Literal& slope : eval::evaluate_partitions(module, {{scalar(1)}, {scalar(2)}, {scalar(4)}})) {
    EXPECT_EQ(slope.values[0], 6 * 7);
  }
}

// x^3 with the given gradient of x^4, which shows that the operations in between are not differentiated.
TEST(Gradient, ThatIsGivenTakesThePlaceOfTheOperations) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f64, {2}), "x");
  const InstructionId y = b.multiply(x, b.multiply(x, x));
  const InstructionId loss = b.reduce_add(y, {0});
  const auto rule = [=](build::GraphBuilder& g, InstructionId slope) {
    return Ids{g.multiply(slope, g.multiply(g.full_like(y, 4), y))};
  };
  const InstructionId slope = gradients(b, loss, Ids{x}, {}, std::vector{GivenGradient{y, {x}, rule}})[0];
  const Module module = std::move(b).build(slope);
  EXPECT_EQ(eval::evaluate(module, std::vector{testing::make_literal(f64, {2}, {2, -3})}).values,
            (std::vector<double>{32, -108}));
}

// d/dx of x^2 y, added to 5, and the gradient of a value that the loss does not depend on, added to 7.
TEST(Gradient, IsAddedToSums) {
  build::GraphBuilder b("test");
  const Shape scalar = make_shape(f64, {});
  const InstructionId x = b.parameter(scalar, "x"), y = b.parameter(scalar, "y"), z = b.parameter(scalar, "z");
  const Ids sums{b.constant(f64, 5), b.constant(f64, 7)};
  const InstructionId loss = b.multiply(b.multiply(x, x), y);
  const std::vector<InstructionId> slopes = gradients(b, loss, Ids{x, z}, {}, {}, sums);
  const InstructionId root = b.tuple(slopes);
  const Module module = std::move(b).build(root);
  const auto value = [](double v) { return testing::make_literal(f64, {}, {v}); };
  const Literal found = eval::evaluate(module, std::vector{value(3), value(2), value(1)});
  EXPECT_EQ(found.elements[0].values[0], 5 + 2 * 3 * 2);
  EXPECT_EQ(found.elements[1].values[0], 7);
}

TEST(Gradient, OfWhatTheLossDoesNotDependOnIsZero) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f64, {2}), "x");
  const InstructionId unused = b.parameter(make_shape(f64, {3}), "unused");
  const InstructionId slope = gradients(b, b.reduce_add(x, {0}), Ids{unused})[0];
  EXPECT_EQ(b.shape(slope).dimensions, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(b[slope].opcode, Opcode::broadcast);
}

TEST(Gradient, CarriesTheNameOfWhatItDifferentiates) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f64, {2}), "x");
  const InstructionId y = [&] {
    const build::GraphBuilder::Scope scope(b, "layer/act");
    return b.tanh(x);
  }();
  const InstructionId slope = gradients(b, b.reduce_add(y, {0}), Ids{x})[0];
  EXPECT_EQ(b[slope].op_name, "gradients/layer/act");
}

TEST(Gradient, RefusesWhatItCannotDifferentiate) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f64, {2}), "x");
  Instruction unknown;
  unknown.opcode = Opcode::custom_call;
  unknown.target = "f";
  unknown.operands = {x};
  unknown.shape = make_shape(f64, {});
  EXPECT_THROW(gradients(b, b.add(unknown), Ids{x}), NoGradient);
  EXPECT_THROW(gradients(b, x, Ids{x}), std::logic_error);
}

}  // namespace
}  // namespace podsim::hlo::transform
