// SPDX-License-Identifier: Apache-2.0
#include "workloads/optimizer.h"
#include "tests/hlo/element_types.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hlo/eval/evaluator.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads {
namespace {

using hlo::InstructionId;
using hlo::Literal;
using hlo::build::GraphBuilder;
using hlo::testing::make_literal;

using hlo::testing::f64;

/// New value and new momentum of w = (3, 4), g, v = (1, 1) at learning rate 0.5.
std::vector<hlo::Literal> updated(const Optimizer& optimizer, bool is_kernel, std::vector<double> gradient) {
  hlo::build::GraphBuilder b("test");
  const hlo::Shape shape = hlo::make_shape(f64, {2});
  const TrainedTensor tensor{b.parameter(shape, "w"), "w", is_kernel};
  const InstructionId g = b.parameter(shape, "g");
  const InstructionId v = b.parameter(shape, "v");
  const InstructionId rate = b.parameter(hlo::make_shape(f64, {}), "rate");
  const Update result = update(b, optimizer, tensor, g, std::vector{v}, {rate, -1});
  const InstructionId root = b.tuple({result.value, result.slots[0]});
  const hlo::Module module = std::move(b).build(root);
  return hlo::eval::evaluate(module, std::vector{hlo::testing::make_literal(f64, {2}, {3, 4}),
                                                 hlo::testing::make_literal(f64, {2}, std::move(gradient)),
                                                 hlo::testing::make_literal(f64, {2}, {1, 1}),
                                                 hlo::testing::make_literal(f64, {}, {0.5})})
      .elements;
}

Optimizer rounded_numbers(OptimizerKind kind) {
  Optimizer optimizer;
  optimizer.kind = kind;
  optimizer.momentum = 0.5;
  optimizer.weight_decay = 0.25;
  optimizer.trust = 0.125;
  return optimizer;
}

// d = g + w/4 = (6.75, 9); v' = (7.25, 9.5); w' = w - v'/2.
TEST(Optimizer, SgdMomentumByHand) {
  const auto kernel = updated(rounded_numbers(OptimizerKind::sgd_momentum), true, {6, 8});
  EXPECT_EQ(kernel[1].values, (std::vector<double>{7.25, 9.5}));
  EXPECT_EQ(kernel[0].values, (std::vector<double>{3 - 3.625, 4 - 4.75}));
  const auto bias = updated(rounded_numbers(OptimizerKind::sgd_momentum), false, {6, 8});
  EXPECT_EQ(bias[1].values, (std::vector<double>{6.5, 8.5}));
}

// |w| = 5, |g| = 10: t = (5/8) / (10 + 5/4) = 1/18; v' = v/2 + t/2 (g + w/4) = 0.5 + (6.75, 9)/36.
TEST(Optimizer, LarsByHand) {
  const auto kernel = updated(rounded_numbers(OptimizerKind::lars), true, {6, 8});
  EXPECT_NEAR(kernel[1].values[0], 0.5 + 6.75 / 36, 1e-15);
  EXPECT_NEAR(kernel[1].values[1], 0.5 + 9.0 / 36, 1e-15);
  EXPECT_NEAR(kernel[0].values[1], 4 - 0.75, 1e-15);
}

TEST(Optimizer, LarsLeavesTheRateOfBiasAndOfZeroGradientsAlone) {
  const auto bias = updated(rounded_numbers(OptimizerKind::lars), false, {6, 8});
  EXPECT_EQ(bias[1].values, (std::vector<double>{3.5, 4.5}));
  const auto idle = updated(rounded_numbers(OptimizerKind::lars), true, {0, 0});
  EXPECT_EQ(idle[1].values, (std::vector<double>{0.5 + 0.375, 1}));
}

// |(3, 4, 12)| = 13.
TEST(Optimizer, GradientsAreClippedByTheNormOfAll) {
  for (const auto& [most, factor] : std::vector<std::pair<double, double>>{{6.5, 0.5}, {13, 1}, {20, 1}}) {
    hlo::build::GraphBuilder b("test");
    const std::vector<InstructionId> gradients{b.parameter(hlo::make_shape(f64, {2}), "first"),
                                               b.parameter(hlo::make_shape(f64, {1, 1}), "second")};
    const InstructionId root = b.tuple(clipped(b, gradients, most));
    const hlo::Module module = std::move(b).build(root);
    const std::vector<hlo::Literal> arguments{make_literal(f64, {2}, {3, 4}), make_literal(f64, {1, 1}, {12})};
    const std::vector<hlo::Literal> scaled = hlo::eval::evaluate(module, arguments).elements;
    EXPECT_EQ(scaled[0].values, (std::vector<double>{3 * factor, 4 * factor})) << most;
    EXPECT_EQ(scaled[1].values, std::vector<double>{12 * factor}) << most;
  }
}

/// A tensor of random numbers under several steps of an optimiser, each with a different gradient.
struct Trained {
  hlo::Literal value;
  std::vector<hlo::Literal> slots;
};

constexpr double rate = 0.25;
constexpr int step_count = 3;

hlo::Literal random_value(const std::vector<std::int64_t>& sizes) {
  return hlo::testing::random_literal(hlo::make_shape(f64, sizes), 1);
}
hlo::Literal random_gradient(const std::vector<std::int64_t>& sizes, int step) {
  return hlo::testing::random_literal(hlo::make_shape(f64, sizes), unsigned(100 + step));
}

/// Slots start at zero.
Trained trained(const Optimizer& optimizer, bool is_kernel, const std::vector<std::int64_t>& sizes) {
  hlo::build::GraphBuilder b("test");
  const TrainedTensor tensor{b.parameter(hlo::make_shape(f64, sizes), "w"), "w", is_kernel};
  const InstructionId g = b.parameter(hlo::make_shape(f64, sizes), "g");
  const StepScalars scalars{b.parameter(hlo::make_shape(f64, {}), "rate"),
                            b.parameter(hlo::make_shape(f64, {}), "step")};
  std::vector<InstructionId> old;
  Trained result{random_value(sizes), {}};
  for (const Slot& slot : slots(optimizer, sizes)) {
    const hlo::Shape shape = hlo::make_shape(f64, slot.sizes);
    old.push_back(b.parameter(shape, slot.name));
    result.slots.push_back({shape, std::vector<double>(std::size_t(shape.element_count())), {}});
  }
  const Update change = update(b, optimizer, tensor, g, old, scalars);
  std::vector<InstructionId> results{change.value};
  results.insert(results.end(), change.slots.begin(), change.slots.end());
  const hlo::Module module = std::move(b).build(b.tuple(results));
  for (int step = 1; step <= step_count; ++step) {
    std::vector<hlo::Literal> arguments{result.value, random_gradient(sizes, step),
                                        hlo::testing::make_literal(f64, {}, {rate}),
                                        hlo::testing::make_literal(f64, {}, {double(step)})};
    arguments.insert(arguments.end(), result.slots.begin(), result.slots.end());
    std::vector<hlo::Literal> elements = hlo::eval::evaluate(module, arguments).elements;
    result.value = elements[0];
    result.slots.assign(elements.begin() + 1, elements.end());
  }
  return result;
}

void expect_values(const hlo::Literal& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.values.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual.values[i], expected[i], 1e-13) << i;
}

double length(const std::vector<double>& x) {
  double sum = 0;
  for (double value : x) sum += value * value;
  return std::sqrt(sum);
}

/// Kingma and Ba's algorithm 1 with decoupled decay; scaled as You et al.'s algorithm 2 has it where `scales`.
std::vector<double> adam_reference(const Optimizer& o, bool is_kernel, bool scales,
                                   const std::vector<std::int64_t>& sizes) {
  std::vector<double> w = random_value(sizes).values, m(w.size()), v(w.size()), u(w.size());
  for (int t = 1; t <= step_count; ++t) {
    const std::vector<double> g = random_gradient(sizes, t).values;
    for (std::size_t i = 0; i < w.size(); ++i) {
      m[i] = o.momentum * m[i] + (1 - o.momentum) * g[i];
      v[i] = o.decay * v[i] + (1 - o.decay) * g[i] * g[i];
      const double first = m[i] / (1 - std::pow(o.momentum, t)), second = v[i] / (1 - std::pow(o.decay, t));
      u[i] = first / (std::sqrt(second) + o.epsilon) + (is_kernel ? o.weight_decay * w[i] : 0);
    }
    const double scale = scales && is_kernel ? length(w) / length(u) : 1;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= rate * scale * u[i];
  }
  return w;
}

Optimizer of_kind(OptimizerKind kind) {
  Optimizer optimizer;
  optimizer.kind = kind;
  optimizer.momentum = 0.75;
  optimizer.decay = 0.9;
  optimizer.epsilon = 0.01;
  optimizer.weight_decay = 0.125;
  return optimizer;
}

TEST(Optimizer, AdamOverSeveralSteps) {
  for (const bool is_kernel : {true, false}) {
    const Optimizer optimizer = of_kind(OptimizerKind::adam);
    expect_values(trained(optimizer, is_kernel, {2, 3}).value, adam_reference(optimizer, is_kernel, false, {2, 3}));
  }
}

TEST(Optimizer, LambOverSeveralSteps) {
  for (const bool is_kernel : {true, false}) {
    const Optimizer optimizer = of_kind(OptimizerKind::lamb);
    expect_values(trained(optimizer, is_kernel, {2, 3}).value, adam_reference(optimizer, is_kernel, true, {2, 3}));
  }
}

// Tieleman and Hinton's mean square with momentum, and an exponential average of the weights.
TEST(Optimizer, RmspropOverSeveralSteps) {
  for (const bool is_kernel : {true, false}) {
    Optimizer o = of_kind(OptimizerKind::rmsprop);
    o.average_decay = 0.8;
    std::vector<double> w = random_value({2, 3}).values, s(w.size()), v(w.size()), a(w.size());
    for (int t = 1; t <= step_count; ++t) {
      const std::vector<double> g = random_gradient({2, 3}, t).values;
      for (std::size_t i = 0; i < w.size(); ++i) {
        const double d = g[i] + (is_kernel ? o.weight_decay * w[i] : 0);
        s[i] = o.decay * s[i] + (1 - o.decay) * d * d;
        v[i] = o.momentum * v[i] + rate * d / std::sqrt(s[i] + o.epsilon);
        w[i] -= v[i];
        a[i] = 0.8 * a[i] + 0.2 * w[i];
      }
    }
    const Trained actual = trained(o, is_kernel, {2, 3});
    expect_values(actual.value, w);
    ASSERT_EQ(actual.slots.size(), 3U);
    expect_values(actual.slots[0], s);
    expect_values(actual.slots[1], v);
    expect_values(actual.slots[2], a);
  }
}

TEST(Optimizer, LambLeavesTheRateOfATensorOfZerosAlone) {
  hlo::build::GraphBuilder b("test");
  const hlo::Shape shape = hlo::make_shape(f64, {2});
  const TrainedTensor tensor{b.full(shape, 0), "w", true};
  const InstructionId g = b.parameter(shape, "g"), none = b.full(shape, 0);
  const StepScalars scalars{b.constant(f64, 0.5), b.constant(f64, 1)};
  Optimizer optimizer = of_kind(OptimizerKind::lamb);
  optimizer.epsilon = 0;
  const InstructionId value = update(b, optimizer, tensor, g, std::vector{none, none}, scalars).value;
  const hlo::Module module = std::move(b).build(value);
  // In the first step the direction is the sign of the gradient.
  expect_values(hlo::eval::evaluate(module, std::vector{hlo::testing::make_literal(f64, {2}, {3, -4})}), {-0.5, 0.5});
}

/// Shazeer and Stern's algorithm 4, for a list of matrices of rows x columns; algorithm 5 if there are no columns.
std::vector<double> adafactor_reference(std::size_t matrices, std::size_t rows, std::size_t columns,
                                        const std::vector<std::int64_t>& sizes, bool factored) {
  std::vector<double> w = random_value(sizes).values, v(w.size()), r(matrices * rows), c(matrices * columns);
  const auto rms = [](const std::vector<double>& x) { return length(x) / std::sqrt(double(x.size())); };
  for (int t = 1; t <= step_count; ++t) {
    const std::vector<double> g = random_gradient(sizes, t).values;
    const double beta = 1 - std::pow(t, -0.8);
    for (double& value : r) value *= beta;
    for (double& value : c) value *= beta;
    std::vector<double> u(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      const std::size_t k = i / (rows * columns), row = i / columns, column = k * columns + i % columns;
      const double square = g[i] * g[i] + 1e-30;
      v[i] = beta * v[i] + (1 - beta) * square;
      r[row] += (1 - beta) * square / double(columns);
      c[column] += (1 - beta) * square / double(rows);
    }
    for (std::size_t i = 0; i < w.size(); ++i) {
      const std::size_t k = i / (rows * columns), row = i / columns, column = k * columns + i % columns;
      double mean = 0;
      for (std::size_t j = 0; j < rows; ++j) mean += r[k * rows + j] / double(rows);
      u[i] = g[i] / std::sqrt(factored ? r[row] * c[column] / mean : v[i]);
    }
    const double step = rate * std::max(1e-3, rms(w)) / std::max(1.0, rms(u));
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= step * u[i];
  }
  return w;
}

TEST(Optimizer, AdafactorOverSeveralSteps) {
  const Optimizer optimizer = of_kind(OptimizerKind::adafactor);
  expect_values(trained(optimizer, true, {3, 4}).value, adafactor_reference(1, 3, 4, {3, 4}, true));
  expect_values(trained(optimizer, true, {2, 3, 4}).value, adafactor_reference(2, 3, 4, {2, 3, 4}, true));
  expect_values(trained(optimizer, false, {5}).value, adafactor_reference(1, 1, 5, {5}, false));
}

TEST(Optimizer, AdafactorLeavesATensorWithoutGradientWhereItIs) {
  hlo::build::GraphBuilder b("test");
  const hlo::Shape shape = hlo::make_shape(f64, {2, 3});
  const TrainedTensor tensor{b.parameter(shape, "w"), "w", true};
  const InstructionId rows = b.full(hlo::make_shape(f64, {2}), 0.5), columns = b.full(hlo::make_shape(f64, {3}), 0.5);
  const StepScalars scalars{b.constant(f64, 0.5), b.constant(f64, 1)};
  const Update change =
      update(b, of_kind(OptimizerKind::adafactor), tensor, b.full(shape, 0), std::vector{rows, columns}, scalars);
  const hlo::Module module = std::move(b).build(change.value);
  expect_values(hlo::eval::evaluate(module, std::vector{random_value({2, 3})}), random_value({2, 3}).values);
}

TEST(Optimizer, AdafactorKeepsARowAndAColumnForAMatrix) {
  const std::vector<Slot> kept = slots(of_kind(OptimizerKind::adafactor), {7, 128, 64});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].sizes, (std::vector<std::int64_t>{7, 128}));
  EXPECT_EQ(kept[1].sizes, (std::vector<std::int64_t>{7, 64}));
  EXPECT_EQ(slots(of_kind(OptimizerKind::adafactor), {64})[0].sizes, (std::vector<std::int64_t>{64}));
}

}  // namespace
}  // namespace podsim::workloads
