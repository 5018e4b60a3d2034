// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/perceptron.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "hlo/transform/flops.h"
#include "tests/workloads/slopes.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads::models {
namespace {

using Tensors = std::map<std::string, hlo::Literal>;

PerceptronOptions tiny_perceptron() {
  PerceptronOptions options;
  options.batch = 3;
  options.layers = 2;
  options.nodes = 5;
  options.inputs = 4;
  options.outputs = 3;
  options.precision = testing::double_precision();
  options.training.gradient_type = hlo::ElementType::f64;
  options.training.optimizer = testing::plain_gradient();
  return options;
}

std::vector<double> dense(const Tensors& tensors, const std::string& name, const std::vector<double>& x) {
  std::vector<double> y = tensors.at(name + "/bias").values;
  const std::vector<double>& w = tensors.at(name + "/kernel").values;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += x[i] * w[i * y.size() + j];
  }
  return y;
}

/// The loss in loops over numbers.
double loss_of(const PerceptronOptions& o, const Tensors& tensors) {
  double sum = 0;
  for (std::int64_t sample = 0; sample < o.batch; ++sample) {
    const auto begin = tensors.at("inputs").values.begin() + sample * o.inputs;
    std::vector<double> x(begin, begin + o.inputs);
    for (std::int64_t layer = 0; layer < o.layers; ++layer) {
      x = dense(tensors, "layer" + std::to_string(layer), x);
      for (double& value : x) value = std::max(value, 0.0);
    }
    const std::vector<double> logits = dense(tensors, "logits", x);
    double powers = 0;
    for (const double logit : logits) powers += std::exp(logit);
    sum += std::log(powers) - logits[std::size_t(tensors.at("labels").values[std::size_t(sample)])];
  }
  return sum / double(o.batch);
}

TEST(Perceptron, HasTheLossAndSlopesOfTheFormulas) {
  const PerceptronOptions options = tiny_perceptron();
  const TrainingStep step = perceptron_training_step(options);
  const std::vector<hlo::Literal> arguments = testing::arguments_for(step.module, 1, double(options.outputs));
  const double expected = loss_of(options, testing::by_name(step.module, arguments));
  EXPECT_NEAR(hlo::eval::evaluate(step.module, arguments).elements.back().values[0], expected, 1e-9 * expected);
  testing::expect_slopes(step, arguments, [&](const Tensors& tensors) { return loss_of(options, tensors); });
}

// ParaDnn counts 73,800 parameters for four hidden layers of 32 between 2000 inputs and 200 classes.
TEST(Perceptron, HasThePublishedNumberOfParameters) {
  PerceptronOptions options;
  options.layers = 4;
  options.nodes = 32;
  options.inputs = 2000;
  options.outputs = 200;
  const TrainingStep step = perceptron_training_step(options);
  const hlo::Computation& entry = step.module.entry_computation();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < step.donations.size() / 2; ++i) {
    count += entry[entry.parameters[std::size_t(step.donations[i].parameter)]].shape.element_count();
  }
  EXPECT_EQ(count, 73'800);
}

TEST(Perceptron, TakesTheFlopsOfItsProducts) {
  const PerceptronOptions options;
  EXPECT_NEAR(hlo::transform::product_flops(perceptron_training_step(options).module), perceptron_flops(options),
              1e-9 * perceptron_flops(options));
}

}  // namespace
}  // namespace podsim::workloads::models
