// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/ncf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/transform/flops.h"
#include "tests/workloads/by_name.h"
#include "tests/workloads/slopes.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads::models::recommenders {
namespace {

NcfOptions tiny_ncf() {
  NcfOptions options;
  options.batch = 5;
  options.users = 4;
  options.items = 3;
  options.factors = 2;
  options.perceptron_factors = 3;
  options.units = {4, 2};
  options.precision = testing::double_precision();
  options.optimizer = testing::plain_gradient();
  return options;
}

using Tensors = std::map<std::string, hlo::Literal>;

/// The row of a table that a pair's index names.
std::vector<double> row(const Tensors& tensors, const std::string& table, const std::string& indices, std::size_t pair,
                        std::int64_t width) {
  const std::vector<double>& values = tensors.at(table).values;
  const auto begin = values.begin() + std::ptrdiff_t(tensors.at(indices).values[pair]) * width;
  return {begin, begin + width};
}

/// x w + b
std::vector<double> dense(const Tensors& tensors, const std::string& name, const std::vector<double>& x) {
  std::vector<double> y = tensors.at(name + "/b").values;
  const std::vector<double>& w = tensors.at(name + "/w").values;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += x[i] * w[i * y.size() + j];
  }
  return y;
}

double reference_loss(const NcfOptions& o, const Tensors& tensors) {
  double sum = 0;
  for (std::size_t pair = 0; pair < std::size_t(o.batch); ++pair) {
    std::vector<double> product = row(tensors, "product/users", "users", pair, o.factors);
    const std::vector<double> of_item = row(tensors, "product/items", "items", pair, o.factors);
    for (std::size_t k = 0; k < product.size(); ++k) product[k] *= of_item[k];
    std::vector<double> x = row(tensors, "perceptron/users", "users", pair, o.perceptron_factors);
    const std::vector<double> more = row(tensors, "perceptron/items", "items", pair, o.perceptron_factors);
    x.insert(x.end(), more.begin(), more.end());
    for (std::size_t i = 0; i < o.units.size(); ++i) {
      x = dense(tensors, "layer" + std::to_string(i), x);
      for (double& value : x) value = std::max(value, 0.0);
    }
    product.insert(product.end(), x.begin(), x.end());
    const double chosen = 1 / (1 + std::exp(-dense(tensors, "output", product)[0]));
    const double label = tensors.at("labels").values[pair];
    sum -= label * std::log(chosen) + (1 - label) * std::log(1 - chosen);
  }
  return sum / double(o.batch);
}

std::vector<hlo::Literal> ncf_arguments(const hlo::Module& module, const NcfOptions& options) {
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  unsigned seed = 1;
  for (const hlo::InstructionId id : entry.parameters) {
    const std::string& name = entry[id].name;
    double low = -0.9, high = 0.9;
    if (name == "users") low = 0, high = double(options.users);
    if (name == "items") low = 0, high = double(options.items);
    if (name == "labels") low = 0, high = 2;
    arguments.push_back(hlo::testing::random_literal(entry[id].shape, seed++, low, high));
    const bool is_whole = low == 0;
    for (double& value : arguments.back().values) value = is_whole ? std::floor(value) : value;
    if (name.ends_with("momentum")) std::ranges::fill(arguments.back().values, 0);
  }
  return arguments;
}

TEST(Ncf, HasTheLossOfTheFormulas) {
  const NcfOptions options = tiny_ncf();
  const hlo::Module module = ncf_forward(options);
  hlo::build::verify(module);
  const std::vector<hlo::Literal> arguments = ncf_arguments(module, options);
  const double expected = reference_loss(options, testing::by_name(module, arguments));
  EXPECT_NEAR(hlo::eval::evaluate(module, arguments).values[0], expected, 1e-12 * expected);
}

TEST(Ncf, HasTheSlopesOfThatLoss) {
  const NcfOptions options = tiny_ncf();
  const TrainingStep step = ncf_training_step(options);
  testing::expect_slopes(step, ncf_arguments(step.module, options),
                         [&](const Tensors& tensors) { return reference_loss(options, tensors); });
}

// 31,832,577: the parameters of MLPerf's reference in PyTorch for MovieLens-20m.
TEST(Ncf, HasThePublishedNumberOfParameters) {
  const TrainingStep step = ncf_training_step({});
  const hlo::Computation& entry = step.module.entry_computation();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < step.donations.size() / 3; ++i) {
    count += entry[entry.parameters[std::size_t(step.donations[i].parameter)]].shape.element_count();
  }
  EXPECT_EQ(count, 31'832'577);
}

TEST(Ncf, ItsProductsTakeTheFlopsOfTheClosedForm) {
  const NcfOptions options = tiny_ncf();
  const double elementwise = 3 * double(options.batch * options.factors);
  EXPECT_DOUBLE_EQ(hlo::transform::product_flops(ncf_training_step(options).module), ncf_flops(options) - elementwise);
}

}  // namespace
}  // namespace podsim::workloads::models::recommenders
