// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/custom_algorithm.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "sw/collectives/engine/expected_results.h"
#include "sw/collectives/patterns/direct.h"
#include "tests/sw/collectives/collective_cases.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::collectives {
namespace {

/// X before Y, with podsim's patterns; a test may change what it does.
class FirstDimensionFirst : public CustomAlgorithm {
 public:
  std::string_view name() const override { return "x-then-y"; }
  bool does(CollectiveKind kind) const override { return kind != CollectiveKind::broadcast; }
  std::vector<int> dimension_order(int, int dimensions) const override {
    std::vector<int> order;
    for (int d = 0; d < dimensions; ++d) order.push_back(repeats ? 0 : d);
    return order;
  }
  std::shared_ptr<const patterns::Pattern> reduce_scatter(const LogicalDimension& along, std::int64_t chunk,
                                                          const SegmentLengths& lengths) const override {
    if (!jumps) return nullptr;
    return std::make_shared<patterns::Direct>(std::vector{along}, 1, chunk, lengths.most);
  }
  bool repeats = false, jumps = false;
};

/// Registers it; every test runs in a process of its own.
struct RegisteredFirst {
  RegisteredFirst() {
    register_algorithm(own);
    algorithm = algorithms().back();
  }
  std::shared_ptr<FirstDimensionFirst> own = std::make_shared<FirstDimensionFirst>();
  Algorithm algorithm{};
};

const noc::Topology wide({4, 2}, {true, true}), tall({2, 4}, {true, true});

TEST(CustomAlgorithm, IsListedBehindPodsimsForTheKindsThatItDoes) {
  const std::size_t before = algorithms().size();
  const RegisteredFirst first;
  EXPECT_EQ(algorithms().size(), before + 1);
  EXPECT_EQ(to_string(first.algorithm), "x-then-y");
  EXPECT_EQ(custom(first.algorithm), first.own);
  EXPECT_EQ(custom(Algorithm::direct), nullptr);
  for (const CollectiveKind kind : collective_kinds) {
    const bool listed = std::ranges::count(algorithms_for(kind), first.algorithm) == 1;
    EXPECT_EQ(listed, kind != CollectiveKind::broadcast && kind != CollectiveKind::collective_permute)
        << to_string(kind);
  }
  EXPECT_THROW(register_algorithm(first.own), std::invalid_argument);
}

// A slice with its dimensions swapped, walked in the other order: the same times.
TEST(CustomAlgorithm, FollowsItsOwnOrderOfDimensions) {
  const RegisteredFirst first;
  sw::TargetMachine machine = network_only();
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter}) {
    const schedule::CollectiveRequest request{kind, hlo::ElementType::f32, 80'000};
    const auto time = [&](const noc::Topology& slice, Algorithm algorithm) {
      return simulate(machine, schedule_of(machine, slice, request, algorithm)).duration;
    };
    EXPECT_EQ(time(wide, first.algorithm), time(tall, Algorithm::y_then_x));
    EXPECT_NE(time(wide, first.algorithm), time(wide, Algorithm::y_then_x));
  }
}

TEST(CustomAlgorithm, EndsWithTheSums) {
  const RegisteredFirst first;
  sw::TargetMachine machine = tpu_v3();
  const auto schedule =
      schedule_of(machine, wide, {CollectiveKind::all_reduce, hlo::ElementType::f32, 1001}, first.algorithm);
  int next = 0;
  const engine::CoreVectors operands = operands_of(*schedule, [&] { return double(++next % 50); });
  engine::CollectiveData data(*schedule, operands);
  simulate(machine, schedule, {.data = &data});
  std::vector<double> sums(1001, 0);
  for (const auto& operand : operands) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += operand[i];
  }
  for (const auto& result : data.results()) EXPECT_EQ(result, sums);
}

TEST(CustomAlgorithm, ThatBreaksItsContractEndsTheSimulation) {
  const RegisteredFirst first;
  const sw::TargetMachine machine = tpu_v3();
  const schedule::CollectiveRequest request{CollectiveKind::all_reduce, hlo::ElementType::f32, 1000};
  first.own->repeats = true;
  EXPECT_THROW(schedule_of(machine, wide, request, first.algorithm), base::SimulationError);
  first.own->repeats = false;
  first.own->jumps = true;
  EXPECT_THROW(schedule_of(machine, wide, request, first.algorithm), base::SimulationError);
}

}  // namespace
}  // namespace podsim::sw::collectives
