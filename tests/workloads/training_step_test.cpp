// SPDX-License-Identifier: Apache-2.0
#include "workloads/training_step.h"

#include <gtest/gtest.h>

#include "hlo/eval/evaluator.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads {
namespace {

using hlo::InstructionId;
using hlo::Literal;
using hlo::build::GraphBuilder;
using hlo::testing::expect_near;

constexpr std::int64_t partitions = 4;
constexpr std::int64_t classes = 5;

/// A network without batch norm, whose batches do not mix samples: the mean gradient over partitions of a batch is the
/// gradient of the whole batch.
TrainingStep plain_network(std::int64_t batch, const TrainingOptions& options, Precision precision) {
  hlo::build::GraphBuilder b("plain_network");
  const InstructionId images = b.parameter(hlo::make_shape(precision.activation, {batch, 8, 8, 3}), "images");
  const InstructionId labels = b.parameter(hlo::make_shape(hlo::ElementType::s32, {batch}), "labels");
  Layers layers(b, precision);
  InstructionId x = images;
  {
    const hlo::build::GraphBuilder::Scope scope(b, "conv1");
    x = layers.max_pool(layers.relu(layers.convolution(x, 4, 3, 1)), 3, 2);
  }
  {
    const hlo::build::GraphBuilder::Scope scope(b, "conv2");
    x = b.add(layers.relu(layers.convolution(x, 4, 1, 1)), x);
  }
  const Loss loss = softmax_cross_entropy(b, layers.dense(layers.global_average_pool(x), classes), labels, 0.1);
  return training_step(std::move(b), loss, layers.trained(), options);
}

TrainingOptions training_options(OptimizerKind kind, std::int64_t replicas, hlo::ElementType gradient_type) {
  TrainingOptions options;
  options.optimizer.kind = kind;
  options.replicas = replicas;
  options.gradient_type = gradient_type;
  return options;
}

/// Rows [first, first + count) of the leading dimension.
hlo::Literal rows(const hlo::Literal& whole, std::int64_t first, std::int64_t count) {
  hlo::Literal part = whole;
  part.shape.dimensions[0] = count;
  const std::int64_t row = part.shape.element_count() / count;
  part.values.assign(whole.values.begin() + first * row, whole.values.begin() + (first + count) * row);
  return part;
}

/// Each partition its own quarter of images and labels, the rest alike.
std::vector<std::vector<hlo::Literal>> split(const std::vector<hlo::Literal>& arguments, std::int64_t batch) {
  std::vector<std::vector<hlo::Literal>> result(partitions, arguments);
  for (std::int64_t p = 0; p < partitions; ++p) {
    for (int i = 0; i < 2; ++i) result[p][i] = rows(arguments[i], p * batch, batch);
  }
  return result;
}

/// Compares everything except the loss, which each partition computes from its samples alone.
void expect_same_update(const hlo::Literal& actual, const hlo::Literal& expected, double relative, double absolute) {
  ASSERT_EQ(actual.elements.size(), expected.elements.size());
  for (std::size_t i = 0; i + 1 < actual.elements.size(); ++i) {
    SCOPED_TRACE(i);
    hlo::testing::expect_near(actual.elements[i], expected.elements[i], relative, absolute);
  }
}

class DataParallel : public ::testing::TestWithParam<OptimizerKind> {};

TEST_P(DataParallel, FourPartitionsGiveTheUpdateOfOneDeviceWithTheWholeBatch) {
  const std::int64_t batch = 2;
  const auto whole = plain_network(batch * partitions, training_options(GetParam(), 1, hlo::ElementType::f64),
                                   testing::double_precision());
  const auto part = plain_network(batch, training_options(GetParam(), partitions, hlo::ElementType::f64),
                                  testing::double_precision());
  const std::vector<hlo::Literal> arguments = testing::arguments_for(whole.module, 1, classes);
  const hlo::Literal expected = hlo::eval::evaluate(whole.module, arguments);
  double loss = 0;
  for (const hlo::Literal& result : hlo::eval::evaluate_partitions(part.module, split(arguments, batch))) {
    expect_same_update(result, expected, 1e-12, 1e-14);
    loss += result.elements.back().values[0] / partitions;
  }
  EXPECT_NEAR(loss, expected.elements.back().values[0], 1e-12);
}

TEST_P(DataParallel, WithBf16GradientsTheUpdateAgreesToTheirRounding) {
  const std::int64_t batch = 2;
  const auto whole = plain_network(batch * partitions, training_options(GetParam(), 1, hlo::ElementType::f64),
                                   testing::double_precision());
  const auto part = plain_network(batch, training_options(GetParam(), partitions, hlo::ElementType::bf16),
                                  testing::double_precision());
  const std::vector<hlo::Literal> arguments = testing::arguments_for(whole.module, 1, classes);
  const hlo::Literal expected = hlo::eval::evaluate(whole.module, arguments);
  const auto results = hlo::eval::evaluate_partitions(part.module, split(arguments, batch));
  // Gradients are below 1; each of five roundings errs by at most 2^-9 of a term.
  for (const hlo::Literal& result : results) expect_same_update(result, expected, 0, 5.0 / 512);
  for (const hlo::Literal& result : results) {
    for (std::size_t i = 0; i + 1 < result.elements.size(); ++i) {
      EXPECT_EQ(result.elements[i].values, results[0].elements[i].values);
    }
  }
}

// Batch norm takes its statistics from a partition's own samples. Partitions with the same samples have the statistics
// of those samples repeated, so there too the update must be that of one device.
TEST_P(DataParallel, AResnetOnFourCopiesOfABatchUpdatesAsOneDeviceDoes) {
  models::ResNetOptions options = testing::tiny_resnet();
  options.training.optimizer.kind = GetParam();
  options.training.replicas = partitions;
  const TrainingStep part = models::resnet_training_step(options);
  options.training.replicas = 1;
  options.batch *= partitions;
  const TrainingStep whole = models::resnet_training_step(options);
  const std::vector<hlo::Literal> arguments = testing::arguments_for(part.module, 1, classes);
  std::vector<hlo::Literal> repeated = arguments;
  for (int i = 0; i < 2; ++i) {
    repeated[i].shape.dimensions[0] *= partitions;
    for (int p = 1; p < partitions; ++p) {
      repeated[i].values.insert(repeated[i].values.end(), arguments[i].values.begin(), arguments[i].values.end());
    }
  }
  const hlo::Literal expected = hlo::eval::evaluate(whole.module, repeated);
  const std::vector<std::vector<hlo::Literal>> alike(partitions, arguments);
  for (const hlo::Literal& result : hlo::eval::evaluate_partitions(part.module, alike)) {
    expect_same_update(result, expected, 1e-8, 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(TrainingStep, DataParallel,
                         ::testing::Values(OptimizerKind::sgd_momentum, OptimizerKind::lars), [](const auto& param) {
                           return param.param == OptimizerKind::lars ? "lars" : "sgd_momentum";
                         });

TEST(TrainingStep, GradientsAreAllReducedInBf16AndScaledByTheReplicasAfter) {
  const TrainingStep step = plain_network(2, training_options(OptimizerKind::lars, 8, hlo::ElementType::bf16), {});
  const hlo::Computation& entry = step.module.entry_computation();
  const auto users = hlo::users_of(entry);
  int all_reduces = 0;
  for (InstructionId id = 0; id < int(users.size()); ++id) {
    if (entry[id].opcode != hlo::Opcode::all_reduce) continue;
    ++all_reduces;
    EXPECT_EQ(entry[id].shape.element_type, hlo::ElementType::bf16);
    ASSERT_EQ(users[id].size(), 1u);
    EXPECT_EQ(entry[users[id][0]].opcode, hlo::Opcode::convert);
    const hlo::Instruction& scaling = entry[users[users[id][0]][0]];
    EXPECT_EQ(scaling.opcode, hlo::Opcode::multiply);
    EXPECT_EQ(entry[entry[scaling.operands[1]].operands[0]].literal->values[0], 0.125);
  }
  EXPECT_EQ(all_reduces, 4);
}

}  // namespace
}  // namespace podsim::workloads
