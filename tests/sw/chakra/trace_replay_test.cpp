// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/trace_replay.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/systemc/fresh_context.h"
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

/// A memory node runs beside compute nodes: max(30 + 50, 70) = 80, and what waits for both ends at 80 + 5.
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

/// A collective takes what it takes alone, from its last member in: cores that compute for 5 us before and 2 us after.
TEST(TraceReplay, CollectivesTakeTheirTimeOnTheNetwork) {
  const hw::Machine machine = collectives::tpu_v3();
  ExecutionTrace trace;
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    trace.groups["1"].push_back(rank);
    trace.ranks.push_back(idle(rank));
    trace.ranks.back().nodes = {testing::compute(0, "a", {}, 5'000'000),
                                testing::collective(1, "ar", {0}, CommType::all_reduce, 1 << 20),
                                testing::compute(2, "b", {1}, 2'000'000)};
  }
  const collectives::schedule::CollectiveRequest request{collectives::CollectiveKind::all_reduce, ir::ElementType::bf16,
                                                         1 << 19};
  const auto alone = collectives::engine::simulate_collective(
      machine,
      collectives::engine::choose_algorithm(machine, slice, collectives::CollectiveGroups::all(slice, 2), request)
          .schedule,
      {});
  base::systemc::fresh_context();
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
