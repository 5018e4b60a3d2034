// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hw/machine.h"
#include "noc/fresh_context.h"
#include "noc/topology.h"
#include "sw/collectives/collective_simulation.h"
#include "sw/compiler/compile.h"
#include "sw/graph/evaluator.h"
#include "tests/workloads/tiny.h"
#include "workloads/machines.h"
#include "workloads/resnet50.h"

namespace podsim::workloads {
namespace {

using sw::Literal;

constexpr int kPartitions = 4;
constexpr int kClasses = 5;

/// The simulated all-reduce on the partitions' numbers: two chips in a row, two cores each.
std::vector<Literal> through_the_schedule(const sw::Instruction& instruction,
                                          const std::vector<std::vector<Literal>>& operands) {
  sw::CoreVectors payload;
  for (const std::vector<Literal>& partition : operands) {
    std::vector<double>& values = payload.emplace_back();
    for (const Literal& operand : partition) values.insert(values.end(), operand.values.begin(), operand.values.end());
  }
  noc::Topology row({2, 1}, {false, false});
  const sw::CollectiveRequest request{sw::CollectiveKind::all_reduce, operands[0][0].shape.element_type,
                                      std::int64_t(payload[0].size())};
  const auto schedule = std::make_shared<const sw::CollectiveSchedule>(
      row, 2, sw::CollectiveGroups::all(row, 2), request, sw::Algorithm::two_colour, sw::SegmentLengths{64, 8, 64});
  sw::CollectiveData data(*schedule, payload);
  const noc::FreshContext context;
  sw::simulate_collective(hw::read_machine(machine_config("tpu-v3")), schedule, {.data = &data});
  sw::CoreVectors sums = data.results();

  std::vector<Literal> results;
  for (std::size_t p = 0; p < operands.size(); ++p) {
    Literal result{instruction.shape, {}, {}};
    auto next = sums[p].begin();
    for (const Literal& operand : operands[p]) {
      Literal sum{operand.shape, {next, next + std::ptrdiff_t(operand.values.size())}, {}};
      next += std::ptrdiff_t(operand.values.size());
      result.elements.push_back(std::move(sum));
    }
    results.push_back(instruction.shape.is_tuple() ? std::move(result) : std::move(result.elements.front()));
  }
  return results;
}

sw::Module compiled(sw::Module module) {
  return sw::compile(std::move(module), hw::read_machine(machine_config("tpu-v3"))).fused;
}

ResNetOptions options_for(std::int64_t replicas, sw::ElementType gradient_type) {
  ResNetOptions options = testing::tiny_resnet();
  options.training.replicas = replicas;
  options.training.gradient_type = gradient_type;
  return options;
}

TEST(DataParallel, CompilingATrainingStepDoesNotChangeABitOfItsResult) {
  for (sw::ElementType type : {sw::ElementType::bf16, sw::ElementType::f32}) {
    sw::Module module = resnet_training_step(options_for(1, type)).module;
    const std::vector<Literal> arguments = testing::arguments_for(module, 1, kClasses);
    const Literal expected = sw::evaluate(module, arguments);
    const Literal actual = sw::evaluate(compiled(module), arguments);
    ASSERT_EQ(actual.elements.size(), expected.elements.size());
    for (std::size_t i = 0; i < expected.elements.size(); ++i) {
      EXPECT_EQ(actual.elements[i].values, expected.elements[i].values) << "output " << i;
    }
  }
}

// Four partitions that see the same batch hold the same gradients, so that one device with that batch must take the
// same step; batch norm has the same statistics in both.
TEST(DataParallel, FourCompiledPartitionsThroughTheSimulatedAllReduceTakeTheStepOfOneDevice) {
  sw::Module one = resnet_training_step(options_for(1, sw::ElementType::f32)).module;
  sw::Module part = compiled(resnet_training_step(options_for(kPartitions, sw::ElementType::f32)).module);
  const std::vector<Literal> arguments = testing::arguments_for(one, 1, kClasses);
  const Literal expected = sw::evaluate(one, arguments);
  const std::vector<std::vector<Literal>> same(kPartitions, arguments);
  for (const Literal& actual :
       sw::evaluate_partitions(part, same, {.all_reduce = through_the_schedule, .infeed = {}, .outfeed = {}})) {
    for (std::size_t i = 0; i + 1 < expected.elements.size(); ++i) {
      SCOPED_TRACE(i);
      sw::testing::expect_near(actual.elements[i], expected.elements[i], 1e-6, 1e-9);
    }
  }
}

// Partitions with batches of their own: the sum over the schedule's hops against a plain sum in double precision.
TEST(DataParallel, PartitionsWithDifferentBatchesAgreeWithAPlainSumToRounding) {
  sw::Module part = compiled(resnet_training_step(options_for(kPartitions, sw::ElementType::f32)).module);
  std::vector<std::vector<Literal>> arguments;
  for (unsigned p = 0; p < kPartitions; ++p) {
    arguments.push_back(testing::arguments_for(part, 1, kClasses));
    // The tensors are alike on all partitions; images and labels, the first two parameters, are not.
    std::vector<Literal> own = testing::arguments_for(part, 10 + p, kClasses);
    arguments.back()[0] = own[0];
    arguments.back()[1] = own[1];
  }
  const std::vector<Literal> expected = sw::evaluate_partitions(part, arguments);
  const std::vector<Literal> actual =
      sw::evaluate_partitions(part, arguments, {.all_reduce = through_the_schedule, .infeed = {}, .outfeed = {}});
  for (int p = 0; p < kPartitions; ++p) {
    for (std::size_t i = 0; i + 1 < expected[p].elements.size(); ++i) {
      SCOPED_TRACE(i);
      sw::testing::expect_near(actual[p].elements[i], expected[p].elements[i], 1e-5, 1e-7);
      EXPECT_EQ(actual[p].elements[i].values, actual[0].elements[i].values) << "every core ends with the same bits";
    }
  }
}

}  // namespace
}  // namespace podsim::workloads
