// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/dlrm.h"
#include "hlo/build/verify.h"
#include "tests/workloads/by_name.h"
#include "tests/workloads/models/recommenders/dlrm_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "hlo/eval/evaluator.h"
#include "hlo/transform/flops.h"
#include "tests/hlo/literals.h"

namespace podsim::workloads::models::recommenders {
namespace {

using hlo::Literal;

DlrmOptions tiny_dlrm() {
  DlrmOptions options;
  options.batch = 4;
  options.dense_features = 3;
  options.rows = {5, 2, 7};
  options.bottom = {4, 3};
  options.top = {5, 1};
  options.type = hlo::ElementType::f64;
  return options;
}

/// Random. Two samples read the same row of the second table.
std::vector<hlo::Literal> dlrm_arguments(const hlo::Module& module, const DlrmOptions& o) {
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  unsigned seed = 1;
  for (hlo::InstructionId id : entry.parameters) {
    const hlo::Instruction& parameter = entry[id];
    arguments.push_back(hlo::testing::random_literal(parameter.shape, seed++));
    Numbers& values = arguments.back().values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (parameter.name == "categorical") {
        values[i] = std::floor((values[i] + 1) / 2 * double(o.rows[i % o.rows.size()]));
      } else if (parameter.name == "labels") {
        values[i] = values[i] > 0;
      } else if (parameter.name == "learning_rate") {
        values[i] = 0.25;
      }
    }
  }
  return arguments;
}

TEST(Dlrm, HasTheLossOfTheFormulas) {
  const hlo::Module module = dlrm_forward(tiny_dlrm());
  hlo::build::verify(module);
  const std::vector<hlo::Literal> arguments = dlrm_arguments(module, tiny_dlrm());
  const double expected = reference_loss(tiny_dlrm(), testing::by_name(module, arguments));
  EXPECT_NEAR(hlo::eval::evaluate(module, arguments).values[0], expected, 1e-12);
}

// Every element of every tensor moves by the rate times the slope of the formulas' loss, rows that were not read stay.
TEST(Dlrm, MovesTablesAndPerceptronsDownTheSlope) {
  const TrainingStep step = dlrm_training_step(tiny_dlrm());
  hlo::build::verify(step.module);
  const std::vector<hlo::Literal> arguments = dlrm_arguments(step.module, tiny_dlrm());
  const hlo::Literal result = hlo::eval::evaluate(step.module, arguments);
  Tensors tensors = testing::by_name(step.module, arguments);
  const hlo::Computation& entry = step.module.entry_computation();
  ASSERT_EQ(result.elements.size(), step.donations.size() + 1);
  const double h = 1e-6;
  for (std::size_t i = 0; i < step.donations.size(); ++i) {
    const std::string& name = entry[entry.parameters[step.donations[i].parameter]].name;
    for (std::size_t k = 0; k < result.elements[i].values.size(); ++k) {
      double& value = tensors[name].values[k];
      const double middle = value;
      value = middle + h;
      const double above = reference_loss(tiny_dlrm(), tensors);
      value = middle - h;
      const double below = reference_loss(tiny_dlrm(), tensors);
      value = middle;
      EXPECT_NEAR(result.elements[i].values[k], middle - 0.25 * (above - below) / (2 * h), 1e-8) << name << k;
    }
  }
}

TEST(Dlrm, ItsProductsTakeTheFlopsOfTheClosedForm) {
  const hlo::Module module = dlrm_training_step(tiny_dlrm()).module;
  const hlo::Computation& entry = module.entry_computation();
  double flops = 0;
  for (hlo::InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
    if (entry[id].opcode == hlo::Opcode::dot) flops += double(hlo::transform::cost(module, entry, id).flops);
  }
  // The features have no gradient: 2 FLOPs less for each weight of the first layer.
  EXPECT_DOUBLE_EQ(flops, dlrm_flops(tiny_dlrm()) - 2.0 * 4 * 3 * 4);
}

// The published profile of 64 cores has a top perceptron of 857 inputs and 13 tables on every core.
TEST(Dlrm, IsThatOfThePublishedProfile) {
  DlrmOptions options;
  options.batch = 128;
  const hlo::Module module = dlrm_forward(options);
  const hlo::Computation& entry = module.entry_computation();
  std::map<std::string, std::vector<std::int64_t>> sizes;
  for (hlo::InstructionId id : entry.parameters) sizes[entry[id].name] = entry[id].shape.dimensions;
  EXPECT_EQ(sizes["top0/kernel"], (std::vector<std::int64_t>{857, 1024}));
  EXPECT_EQ(sizes["bottom0/kernel"], (std::vector<std::int64_t>{13, 512}));
  const std::string sharding = dlrm_sharding(options, 64, 8192);
  std::size_t cut = 0;
  for (int i = 0; i < 26; ++i)
    cut += sharding.find("\"table" + std::to_string(i) + "\" = [\"x\"]") != std::string::npos;
  EXPECT_EQ(cut, 13u);
}

}  // namespace
}  // namespace podsim::workloads::models::recommenders
