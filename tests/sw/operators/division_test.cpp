// SPDX-License-Identifier: Apache-2.0
#include "sw/operators/division.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "sw/operators/metis.h"
#include "sw/operators/schedule_estimate.h"

namespace podsim::sw::operators {
namespace {

/// Operations of a time each, a cluster each, without edges.
OperatorGraph operations(std::vector<double> seconds, int devices, LinkTime link) {
  OperatorGraph graph;
  const std::size_t size = seconds.size();
  graph.seconds = std::move(seconds);
  graph.hbm_seconds.assign(size, 0);
  graph.bytes.assign(size, 1);
  graph.cluster.resize(size);
  std::iota(graph.cluster.begin(), graph.cluster.end(), 0);
  graph.clusters = int(size);
  graph.operands.resize(size);
  graph.readers.resize(size);
  graph.links.assign(std::size_t(devices), std::vector<LinkTime>(std::size_t(devices), link));
  return graph;
}

void read(OperatorGraph& graph, int operand, int reader) {
  graph.operands[std::size_t(reader)].push_back(operand);
  graph.readers[std::size_t(operand)].push_back(reader);
}

/// Each operation reads up to two earlier ones.
OperatorGraph random_operations(unsigned seed, int size, int devices) {
  std::mt19937 random(seed);
  std::vector<double> seconds;
  for (int i = 0; i < size; ++i) seconds.push_back(double(1 + random() % 9));
  OperatorGraph graph = operations(std::move(seconds), devices, {.latency_s = 0.5, .s_per_byte = 1.5});
  for (int i = 1; i < size; ++i) {
    const int a = int(random() % unsigned(i)), b = int(random() % unsigned(i));
    read(graph, a, i);
    if (a != b && random() % 2 == 0) read(graph, b, i);
  }
  return graph;
}

// Two chains of three operations of 2 s, whose ends a seventh one of 1 s reads. In closed form: on one device 13 s, on
// two devices 6 s, a transfer of 0.5 s + 1 byte * 0.25 s/byte, and 1 s.
TEST(ScheduleEstimate, ChainsOnTwoDevicesTakeHalfTheTimeAndATransfer) {
  OperatorGraph graph = operations({2, 2, 2, 2, 2, 2, 1}, 2, {.latency_s = 0.5, .s_per_byte = 0.25});
  for (const auto& [operand, reader] : {std::pair(0, 1), {1, 2}, {3, 4}, {4, 5}, {2, 6}, {5, 6}}) {
    read(graph, operand, reader);
  }
  EXPECT_EQ(estimated_schedule(graph, {0, 0, 0, 0, 0, 0, 0}).seconds, 13);
  const OperatorSchedule two = estimated_schedule(graph, {0, 0, 0, 1, 1, 1, 0});
  EXPECT_EQ(two.seconds, 7.75);
  EXPECT_EQ(two.transfers, 1);
  EXPECT_EQ(two.busy, (std::vector<double>{7, 6}));
  EXPECT_EQ(annealed_division(graph, {0, 0, 0, 0, 0, 0, 0}, {.estimates = 1000}).seconds, 7.75);
}

// A transfer takes 3 s of the HBM, of which an operation of 4 s leaves 1 s.
TEST(ScheduleEstimate, TransfersLengthenTheOperationsBehindThem) {
  OperatorGraph graph = operations({1, 4, 5}, 2, {.latency_s = 0, .s_per_byte = 8});
  graph.hbm_seconds = {0, 3, 0};
  graph.hbm_s_per_byte = 3;
  read(graph, 0, 2);
  EXPECT_EQ(estimated_schedule(graph, {0, 0, 1}).begin[2], 9);
  EXPECT_EQ(estimated_schedule(graph, {0, 0, 1}).seconds, 14);
  graph.links[0][1] = {};
  EXPECT_EQ(estimated_schedule(graph, {0, 0, 1}).seconds, 1 + 4 + 2);
}

// Properties of any schedule: operands are there first, and no device does two things at a time.
TEST(ScheduleEstimate, KeepsDependencesAndDevices) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const OperatorGraph graph = random_operations(seed, 40, 3);
    std::mt19937 random(seed);
    std::vector<int> device;
    for (int i = 0; i < 40; ++i) device.push_back(int(random() % 3));
    const OperatorSchedule schedule = estimated_schedule(graph, device);
    ASSERT_EQ(schedule.order.size(), 40U);
    std::vector<double> free(3, 0);
    for (const hlo::InstructionId id : schedule.order) {
      const auto at = std::size_t(id);
      double& own = free[std::size_t(device[at])];
      EXPECT_GE(schedule.begin[at], own);
      own = schedule.begin[at] + graph.seconds[at];
      for (const hlo::InstructionId operand : graph.operands[at]) {
        const auto from = std::size_t(operand);
        const double transfer = device[from] == device[at] ? 0 : 2;  // 0.5 + 1.5
        EXPECT_GE(schedule.begin[at], schedule.begin[from] + graph.seconds[from] + transfer);
      }
    }
    EXPECT_EQ(schedule.seconds, std::ranges::max(free));
  }
}

// The oracle is every division of twelve operations on two devices.
TEST(RefinedDivision, IsNeverLongerThanMetisAndNearTheBest) {
  double refined = 0, annealed = 0, best = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    constexpr int size = 12;
    const OperatorGraph graph = random_operations(seed, size, 2);
    const std::vector<int> metis = metis_parts(graph.cluster_graph(), 2, 0.03);
    const RefinedDivision division = refined_division(graph, metis, 10'000);
    EXPECT_LE(division.seconds, estimated_schedule(graph, metis).seconds);
    EXPECT_EQ(division.seconds, estimated_schedule(graph, division.device).seconds);
    double least = std::numeric_limits<double>::infinity();
    for (unsigned set = 0; set < 1U << size; ++set) {
      std::vector<int> device;
      for (int i = 0; i < size; ++i) device.push_back(int(set >> i & 1));
      least = std::min(least, estimated_schedule(graph, device).seconds);
    }
    EXPECT_GE(division.seconds, least);
    refined += division.seconds;
    const RefinedDivision longer = annealed_division(graph, metis, {.estimates = 2000});
    EXPECT_LE(longer.seconds, estimated_schedule(graph, metis).seconds);
    EXPECT_EQ(longer.device, annealed_division(graph, metis, {.estimates = 2000}).device);
    annealed += longer.seconds;
    best += least;
  }
  EXPECT_LT(refined, 1.1 * best);
  EXPECT_LT(annealed, 1.02 * best);
}

TEST(EarliestEnd, GivesIndependentOperationsToBothDevices) {
  const OperatorGraph graph = operations({4, 3, 2, 1}, 2, {.latency_s = 1, .s_per_byte = 0});
  EXPECT_EQ(estimated_schedule(graph, division_by_earliest_end(graph)).seconds, 5);
}

}  // namespace
}  // namespace podsim::sw::operators
