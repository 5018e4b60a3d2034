// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hlo/eval/evaluator.h"
#include "noc/topology.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "sw/driver/compile.h"
#include "sw/target_machine.h"
#include "tests/workloads/tiny.h"
#include "workloads/machines/machines.h"
#include "workloads/models/resnet50.h"

namespace podsim::workloads {
namespace {

using hlo::Literal;

constexpr int partition_count = 4;
constexpr int class_count = 5;

/// The simulated all-reduce on the partitions' numbers: two chips in a row, two cores each.
std::vector<hlo::Literal> through_the_schedule(const hlo::Instruction& instruction,
                                               const std::vector<std::vector<hlo::Literal>>& operands) {
  sw::collectives::engine::CoreVectors payload;
  for (const std::vector<hlo::Literal>& partition : operands) {
    std::vector<double>& values = payload.emplace_back();
    for (const hlo::Literal& operand : partition)
      values.insert(values.end(), operand.values.begin(), operand.values.end());
  }
  noc::Topology row({2, 1}, {false, false});
  const sw::collectives::schedule::CollectiveRequest request{
      sw::collectives::CollectiveKind::all_reduce, operands[0][0].shape.element_type, std::int64_t(payload[0].size())};
  const auto schedule = std::make_shared<const sw::collectives::schedule::CollectiveSchedule>(
      row, 2, sw::collectives::CollectiveGroups::all(row, 2), request, sw::collectives::Algorithm::two_colour,
      sw::collectives::SegmentLengths{64, 64});
  sw::collectives::engine::CollectiveData data(*schedule, payload);
  sw::collectives::engine::simulate_collective(sw::read_target(machines::machine_config("tpu-v3")), schedule,
                                               {.data = &data});
  sw::collectives::engine::CoreVectors sums = data.results();

  std::vector<hlo::Literal> results;
  for (std::size_t p = 0; p < operands.size(); ++p) {
    hlo::Literal result{instruction.shape, {}, {}};
    auto next = sums[p].begin();
    for (const hlo::Literal& operand : operands[p]) {
      hlo::Literal sum{operand.shape, {next, next + std::ptrdiff_t(operand.values.size())}, {}};
      next += std::ptrdiff_t(operand.values.size());
      result.elements.push_back(std::move(sum));
    }
    results.push_back(instruction.shape.is_tuple() ? std::move(result) : std::move(result.elements.front()));
  }
  return results;
}

hlo::Module fused_module(hlo::Module module) {
  return sw::driver::compile(std::move(module), sw::read_target(machines::machine_config("tpu-v3"))).module;
}

models::ResNetOptions resnet_options(std::int64_t replicas, hlo::ElementType gradient_type) {
  models::ResNetOptions options = testing::tiny_resnet();
  options.training.replicas = replicas;
  options.training.gradient_type = gradient_type;
  return options;
}

TEST(DataParallel, CompilingATrainingStepDoesNotChangeABitOfItsResult) {
  for (hlo::ElementType type : {hlo::ElementType::bf16, hlo::ElementType::f32}) {
    hlo::Module module = models::resnet_training_step(resnet_options(1, type)).module;
    const std::vector<hlo::Literal> arguments = testing::arguments_for(module, 1, class_count);
    const hlo::Literal expected = hlo::eval::evaluate(module, arguments);
    const hlo::Literal actual = hlo::eval::evaluate(fused_module(module), arguments);
    ASSERT_EQ(actual.elements.size(), expected.elements.size());
    for (std::size_t i = 0; i < expected.elements.size(); ++i) {
      EXPECT_EQ(actual.elements[i].values, expected.elements[i].values) << "output " << i;
    }
  }
}

// Four partitions that see the same batch hold the same gradients, so that one device with that batch must take the
// same step; batch norm has the same statistics in both.
TEST(DataParallel, FourCompiledPartitionsThroughTheSimulatedAllReduceTakeTheStepOfOneDevice) {
  hlo::Module one = models::resnet_training_step(resnet_options(1, hlo::ElementType::f32)).module;
  hlo::Module part =
      fused_module(models::resnet_training_step(resnet_options(partition_count, hlo::ElementType::f32)).module);
  const std::vector<hlo::Literal> arguments = testing::arguments_for(one, 1, class_count);
  const hlo::Literal expected = hlo::eval::evaluate(one, arguments);
  const std::vector<std::vector<hlo::Literal>> same(partition_count, arguments);
  for (const hlo::Literal& actual : hlo::eval::evaluate_partitions(
           part, same, {.all_reduce = through_the_schedule, .infeed = {}, .outfeed = {}, .progress = {}})) {
    for (std::size_t i = 0; i + 1 < expected.elements.size(); ++i) {
      SCOPED_TRACE(i);
      hlo::testing::expect_near(actual.elements[i], expected.elements[i], 1e-6, 1e-9);
    }
  }
}

// Partitions with separate batches: the sum over the schedule's hops against a plain sum in double precision.
TEST(DataParallel, PartitionsWithDifferentBatchesAgreeWithAPlainSumToRounding) {
  hlo::Module part =
      fused_module(models::resnet_training_step(resnet_options(partition_count, hlo::ElementType::f32)).module);
  std::vector<std::vector<hlo::Literal>> arguments;
  for (unsigned p = 0; p < partition_count; ++p) {
    arguments.push_back(testing::arguments_for(part, 1, class_count));
    // The tensors are alike on all partitions; images and labels, the first two parameters, are not.
    std::vector<hlo::Literal> own = testing::arguments_for(part, 10 + p, class_count);
    arguments.back()[0] = own[0];
    arguments.back()[1] = own[1];
  }
  const std::vector<hlo::Literal> expected = hlo::eval::evaluate_partitions(part, arguments);
  const std::vector<hlo::Literal> actual = hlo::eval::evaluate_partitions(
      part, arguments, {.all_reduce = through_the_schedule, .infeed = {}, .outfeed = {}, .progress = {}});
  for (int p = 0; p < partition_count; ++p) {
    for (std::size_t i = 0; i + 1 < expected[p].elements.size(); ++i) {
      SCOPED_TRACE(i);
      hlo::testing::expect_near(actual[p].elements[i], expected[p].elements[i], 1e-5, 1e-7);
      EXPECT_EQ(actual[p].elements[i].values, actual[0].elements[i].values) << "every core ends with the same bits";
    }
  }
}

}  // namespace
}  // namespace podsim::workloads
