// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/trace_replay.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "sw/chakra/trace_check.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "tests/sw/chakra/sample_trace.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::chakra {
namespace {

const noc::Topology slice({2, 1}, {false, false});  // four cores

RankTrace idle(std::int32_t rank) {
  RankTrace trace;
  trace.rank = rank;
  return trace;
}

base::Time replayed(std::vector<Node> nodes) {
  ExecutionTrace trace;
  for (std::int32_t rank = 0; rank < 4; ++rank) trace.ranks.push_back(idle(rank));
  trace.ranks[2].nodes = std::move(nodes);
  EXPECT_TRUE(check(trace).empty());
  return replay(trace, collectives::tpu_v3(), slice).duration;
}

/// One compute node at a time, whether they wait for each other or not.
TEST(TraceReplay, ComputeNodesOfARankAddUp) {
  EXPECT_EQ(
      replayed({testing::compute(0, "a", {}, 30), testing::compute(1, "b", {}, 50), testing::compute(2, "c", {0}, 7)}),
      base::Time(87));
}

/// A memory node runs concurrently with compute nodes: max(30 + 50, 70) = 80. The node that waits for both ends at
/// 80 + 5.
TEST(TraceReplay, MemoryNodesRunBeside) {
  Node load = testing::compute(1, "load", {}, 70);
  load.type = NodeType::mem_load;
  EXPECT_EQ(replayed({testing::compute(0, "a", {}, 30), load, testing::compute(2, "b", {0}, 50),
                      testing::compute(3, "c", {1, 2}, 5)}),
            base::Time(85));
}

/// Without duration_ps a node has its microseconds.
TEST(TraceReplay, TakesMicroseconds) {
  Node node = testing::compute(0, "a", {}, 0);
  node.duration_ps.reset();
  node.duration_us = 3;
  EXPECT_EQ(replayed({node}), base::Time(3'000'000));
}

Node without_duration(std::int64_t operations, std::int64_t bytes) {
  Node node = testing::compute(0, "a", {}, 0);
  node.duration_ps.reset();
  node.operations = operations;
  node.bytes = bytes;
  return node;
}

/// The roofline: max(FLOPs / peak, bytes / rate). The peak of a core is 2 FLOPs in each of 2 x 128 x 128 cells a cycle.
TEST(TraceReplay, NodesWithoutDurationTakeTheirWorkAtTheMachinesRates) {
  sw::TargetMachine machine = collectives::tpu_v3();
  machine.hbm.stream_rate = base::Bandwidth(400e9);
  machine.mxu.count = 2;
  machine.mxu.size = 128;
  const double peak = 2.0 * 2 * 128 * 128 * 940e6;
  const auto time = [&](std::int64_t operations, std::int64_t bytes) {
    ExecutionTrace trace;
    for (std::int32_t rank = 0; rank < 4; ++rank) trace.ranks.push_back(idle(rank));
    trace.ranks[1].nodes = {without_duration(operations, bytes)};
    EXPECT_TRUE(check(trace).empty());
    const Replay result = replay(trace, machine, slice);
    EXPECT_EQ(result.warnings.size(), 1U);
    EXPECT_NE(result.warnings.at(0).find("'a' of rank 1"), std::string::npos) << result.warnings.at(0);
    EXPECT_EQ(result.compute, result.duration);
    return double(result.duration.value()) * 1e-12;
  };
  const std::int64_t flops = 10'000'000'000'000;  // 10^13
  EXPECT_NEAR(time(flops, 4096), double(flops) / peak, 2e-12);
  EXPECT_NEAR(time(1000, 400'000'000), 1e-3, 2e-12);
  // Nothing to compute or to move: no time, and a warning that says so.
  EXPECT_EQ(time(0, 0), 0);
}

/// A node with a type of a later schema takes its duration, concurrently with compute and memory nodes:
/// max(30, 20, 50) = 50.
TEST(TraceReplay, NodesOfLaterTypesRunForTheirDuration) {
  Node load = testing::compute(1, "load", {}, 20), other = testing::compute(2, "checkpoint", {}, 50);
  load.type = NodeType::mem_load;
  other.type = NodeType::other;
  other.schema_type = 10;
  EXPECT_EQ(replayed({testing::compute(0, "a", {}, 30), load, other}), base::Time(50));
}

/// Two nodes of 40 days each: 4e18 ps are 46 days.
TEST(TraceReplay, NamesTheNodeThatEndsTooLate) {
  const std::int64_t days_40 = 40 * 86'400 * std::int64_t(1'000'000'000'000);
  try {
    replayed({testing::compute(0, "first", {}, days_40), testing::compute(1, "second", {0}, days_40)});
    FAIL();
  } catch (const base::SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("rank 2 is then in 'second'"), std::string::npos) << error.what();
  }
}

/// Three bytes of f32 are an element that is not whole, which takes as long as one element and not no time.
TEST(TraceReplay, PartsOfAnElementAreSent) {
  const auto time = [](std::int64_t bytes) {
    ExecutionTrace trace;
    for (std::int32_t rank = 0; rank < 4; ++rank) {
      trace.ranks.push_back(idle(rank));
      trace.ranks.back().nodes = {testing::collective(0, "ar", {}, CommType::all_reduce, bytes, "")};
      trace.ranks.back().nodes[0].element_type = "f32";
    }
    return replay(trace, collectives::tpu_v3(), slice).duration;
  };
  EXPECT_EQ(time(3), time(4));
  EXPECT_GT(time(3), base::Time(0));
}

/// A collective takes as long as alone, from the arrival of its last member: cores compute for 5 us before and 2 us
/// after.
TEST(TraceReplay, CollectivesTakeTheirTimeOnTheNetwork) {
  const sw::TargetMachine machine = collectives::tpu_v3();
  ExecutionTrace trace;
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    trace.groups["1"].push_back(rank);
    trace.ranks.push_back(idle(rank));
    trace.ranks.back().nodes = {testing::compute(0, "a", {}, 5'000'000),
                                testing::collective(1, "ar", {0}, CommType::all_reduce, 1 << 20),
                                testing::compute(2, "b", {1}, 2'000'000)};
  }
  const collectives::schedule::CollectiveRequest request{collectives::CollectiveKind::all_reduce,
                                                         hlo::ElementType::bf16, 1 << 19};
  const auto alone = collectives::engine::simulate_collective(
      machine,
      collectives::engine::choose_algorithm(machine, slice, collectives::CollectiveGroups::all(slice, 2), request)
          .schedule,
      {});
  const Replay result = replay(trace, machine, slice);
  EXPECT_EQ(result.duration, alone.duration + base::Time(7'000'000));
  EXPECT_EQ(result.collectives, 1);
  EXPECT_EQ(result.compute, base::Time(7'000'000));
}

/// Rank 0 waits in the first collective for rank 1, which waits in the second for rank 0.
TEST(TraceReplay, NamesWhatAHaltWaitsFor) {
  ExecutionTrace trace;
  for (std::int32_t rank = 0; rank < 4; ++rank) trace.ranks.push_back(idle(rank));
  trace.groups = {{"1", {0, 1}}, {"2", {0, 1}}};
  const auto reduce = [](std::uint64_t id, const char* group, std::vector<std::uint64_t> after) {
    return testing::collective(id, std::string("ar") + group, std::move(after), CommType::all_reduce, 64, group);
  };
  trace.ranks[0].nodes = {reduce(0, "1", {}), reduce(1, "2", {0})};
  trace.ranks[1].nodes = {reduce(0, "2", {}), reduce(1, "1", {0})};
  try {
    replay(trace, collectives::tpu_v3(), slice);
    FAIL();
  } catch (const base::SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("rank 0 waits in 'ar1' for rank 1"), std::string::npos) << error.what();
  }
}

TEST(TraceReplay, RefusesCollectivesThatTheNetworkDoesNotHave) {
  ExecutionTrace trace;
  for (std::int32_t rank = 0; rank < 4; ++rank) trace.ranks.push_back(idle(rank));
  trace.groups = {{"1", {0}}};
  trace.ranks[0].nodes = {testing::collective(0, "r", {}, CommType::scatter, 64)};
  EXPECT_THROW(replay(trace, collectives::tpu_v3(), slice), base::InputError);
}

}  // namespace
}  // namespace podsim::sw::chakra
