// SPDX-License-Identifier: Apache-2.0
// Collectives over the network at both levels, on healthy slices and on slices with faults.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "base/diagnostic.h"
#include "noc/fresh_context.h"
#include "sw/collectives/collective_engine.h"
#include "sw/collectives/collective_estimate.h"
#include "sw/collectives/collective_simulation.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw {
namespace {

using noc::Topology;

CollectiveGroups groups_of(CollectiveKind kind, const Topology& slice, int cores) {
  auto groups = CollectiveGroups::all(slice, cores);
  if (kind != CollectiveKind::collective_permute) return groups;
  const auto ranks = std::int32_t(groups.largest());
  std::vector<CollectiveGroups::Ranks> pairs;
  for (std::int32_t rank = 0; rank < ranks; ++rank) pairs.push_back({rank, (rank + 1) % ranks});
  return CollectiveGroups(std::move(pairs));
}

std::shared_ptr<const CollectiveSchedule> automatic(const hw::Machine& machine, CollectiveKind kind,
                                                    const Topology& slice, std::int64_t elements) {
  return choose_algorithm(machine, slice, groups_of(kind, slice, int(machine.cores_per_chip)),
                          {kind, ElementType::bf16, elements})
      .schedule;
}

CollectiveOutcome simulate(const hw::Machine& machine, const std::shared_ptr<const CollectiveSchedule>& schedule,
                           const CollectiveOptions& options = {}) {
  noc::fresh_context();
  return simulate_collective(machine, schedule, options);
}

double seconds(const CollectiveOutcome& outcome) { return to_duration(outcome.duration).si(); }

class EveryKind : public testing::TestWithParam<CollectiveKind> {};
INSTANTIATE_TEST_SUITE_P(Collective, EveryKind, testing::ValuesIn(collective_kinds));

// Not where every rank sends to every other: blocks of flits wait for one another at every turn there, and queues of
// messages do not, so that packets only take longer (docs/model.md says by how much).
TEST_P(EveryKind, MessagesAndPacketsAgreeWithinFivePerCentButForAllToAll) {
  const hw::Machine machine = tpu_v3();
  const auto schedule = automatic(machine, GetParam(), Topology({4, 4}, {true, false}), 200'000);
  const double messages = seconds(simulate(machine, schedule));
  const double packets = seconds(simulate(machine, schedule, {.network = NetworkLevel::packet}));
  if (GetParam() == CollectiveKind::all_to_all) {
    EXPECT_GE(packets, messages);
  } else {
    EXPECT_NEAR(packets / messages, 1, 0.05);
  }
}

TEST_P(EveryKind, MovesTheRightNumbersInPacketsToo) {
  hw::Machine machine = tpu_v3();
  for (const Topology& slice : {Topology({3, 5}, {false, true}), Topology({2, 3, 4}, {true, false, true})}) {
    const auto schedule = automatic(machine, GetParam(), slice, 1001);
    CoreVectors operands(std::size_t(schedule->cores()));
    std::uint32_t state = 1;
    for (std::int32_t core = 0; core < schedule->cores(); ++core) {
      std::int64_t count = 1001;
      if (GetParam() == CollectiveKind::all_gather) {
        const std::int64_t block = base::divide_round_up(1001, schedule->cores());
        count = std::clamp<std::int64_t>(1001 - block * core, 0, block);
      }
      for (std::int64_t i = 0; i < count; ++i) {
        state = state * 1664525U + 1013904223U;
        operands[std::size_t(core)].push_back(double(state >> 31));
      }
    }
    CollectiveData data(*schedule, operands);
    StartTimes stalls;
    for (std::int32_t core = 0; core < schedule->cores(); ++core) {
      state = state * 1664525U + 1013904223U;
      stalls.push_back(base::Time(state >> 8));
    }
    simulate(machine, schedule, {.network = NetworkLevel::packet, .starts = stalls, .data = &data});
    EXPECT_TRUE(data.results() == expected_results(*schedule, operands)) << to_string(slice);
  }
}

TEST_P(EveryKind, FoldedEqualsUnfoldedToThePicosecond) {
  const hw::Machine machine = tpu_v3();
  for (const Topology& slice : {Topology({8, 8}, {true, true}), Topology({16, 8}, {false, true})}) {
    const auto schedule = automatic(machine, GetParam(), slice, 100'003);
    EXPECT_EQ(simulate(machine, schedule).finish, simulate(machine, schedule, {.fold = false}).finish);
  }
}

TEST_P(EveryKind, NoLinkCarriesMoreThanItsRateAndNothingBeatsTheBound) {
  const hw::Machine machine = tpu_v3();
  for (const Topology& slice :
       {Topology({4, 4}, {true, true}), Topology({5, 3}, {false, false}), Topology({1, 7}, {false, true})}) {
    for (Algorithm algorithm : algorithms_for(GetParam())) {
      const CollectiveRequest request{GetParam(), ElementType::bf16, 300'000};
      const auto schedule = std::make_shared<const CollectiveSchedule>(
          slice, 2, groups_of(GetParam(), slice, 2), request, algorithm, segment_lengths(machine, request.type));
      const CollectiveOutcome outcome = simulate(machine, schedule);
      EXPECT_GE(seconds(outcome), lower_bound(machine, *schedule).si());
      for (const LinkUse& use : outcome.links) {
        EXPECT_LE(double(use.bytes.value()), machine.ici.payload_rate().si() * seconds(outcome) * (1 + 1e-9));
      }
    }
  }
}

TEST_P(EveryKind, CompletesAroundADeadLink) {
  const hw::Machine machine = tpu_v3();
  const Topology slice({8, 8}, {false, true});
  const auto schedule = automatic(machine, GetParam(), slice, 40'000);
  const std::array faults{noc::parse_fault("dead-link:(3,3)x+"), noc::parse_fault("dead-link:(0,0)y+")};
  const CollectiveOutcome healthy = simulate(machine, schedule);
  const CollectiveOutcome outcome = simulate(machine, schedule, {.faults = noc::Faults(slice, faults)});
  EXPECT_GT(outcome.duration, healthy.duration);
}

TEST(BytesSent, AreTheClosedFormOfTheAlgorithm) {
  hw::Machine machine = network_only();
  const std::int64_t elements = 3 * 5 * 1000;
  auto sent = [&](CollectiveKind kind, Algorithm algorithm) {
    const Topology slice({3, 5}, {true, true});
    const auto schedule = std::make_shared<const CollectiveSchedule>(
        slice, 1, CollectiveGroups::all(slice, 1), CollectiveRequest{kind, ElementType::bf16, elements}, algorithm,
        segment_lengths(machine, ElementType::bf16));
    const CollectiveOutcome outcome = simulate(machine, schedule);
    std::int64_t total = 0;
    for (const LinkUse& use : outcome.links) total += use.bytes.value();
    return total * (outcome.folded() ? 15 : 1) / 2;
  };
  const std::int64_t chips = 15;
  // Every chip sends all chunks but one along Y, then all but one of its shard along X.
  const std::int64_t scattered = chips * (elements * 4 / 5 + elements / 5 * 2 / 3);
  EXPECT_EQ(sent(CollectiveKind::reduce_scatter, Algorithm::ring), scattered);
  EXPECT_EQ(sent(CollectiveKind::all_gather, Algorithm::one_way_ring), scattered);
  EXPECT_EQ(sent(CollectiveKind::all_reduce, Algorithm::ring), 2 * scattered);
  // A tree: every chip but the root receives all once.
  EXPECT_EQ(sent(CollectiveKind::broadcast, Algorithm::y_then_x), (chips - 1) * elements);
  // Every block travels its distance: on a ring of 3 a mean of 2/3 links, of 5 of 6/5.
  EXPECT_EQ(sent(CollectiveKind::all_to_all, Algorithm::direct), chips * chips * 1000 * (10 + 18) / 15);
}

TEST(Faults, ADeadChipIsAVerdictThatNamesThePair) {
  const hw::Machine machine = tpu_v3();
  const Topology slice({4, 4}, {false, false});
  const std::array faults{noc::parse_fault("dead-chip:(2,2)")};
  const auto schedule = automatic(machine, CollectiveKind::all_reduce, slice, 1000);
  for (NetworkLevel level : {NetworkLevel::message, NetworkLevel::packet}) {
    try {
      simulate(machine, schedule, {.network = level, .faults = noc::Faults(slice, faults)});
      FAIL() << "a dead chip took part";
    } catch (const base::SimulationError& error) {
      EXPECT_NE(std::string(error.what()).find("(2,2)"), std::string::npos) << error.what();
    }
  }
}

TEST(Faults, ASlowLinkAndASlowChipCostTimeAndJitterIsBoundedAndFollowsItsSeed) {
  const hw::Machine machine = tpu_v3();
  const Topology slice({4, 4}, {true, true});
  const auto schedule = automatic(machine, CollectiveKind::all_reduce, slice, 1'000'000);
  const base::Time healthy = simulate(machine, schedule, {.fold = false}).duration;
  auto with = [&](const char* text, std::uint64_t seed = 1) {
    const std::array faults{noc::parse_fault(text)};
    return simulate(machine, schedule, {.faults = noc::Faults(slice, faults), .seed = seed}).duration;
  };
  EXPECT_GT(with("slow-link:(0,0)x+:0.5"), healthy);
  EXPECT_GT(with("slow-chip:(1,1):0.5"), healthy);
  EXPECT_GE(with("jitter:5us"), healthy);
  EXPECT_LE(with("jitter:5us"), healthy + base::Time(5'000'000));
  EXPECT_EQ(with("jitter:5us", 3), with("jitter:5us", 3));
  EXPECT_NE(with("jitter:5us", 3), with("jitter:5us", 4));
}

TEST(AlgorithmChoice, IsTheOneThatTheSimulationFindsFastestOrWithinAFewPercentOfIt) {
  const hw::Machine machine = tpu_v3();
  for (const Topology& slice :
       {Topology({8, 4}, {false, false}), Topology({8, 8}, {true, true}), Topology({16, 4}, {false, true})}) {
    for (std::int64_t elements : {10'000, 5'000'000}) {
      const CollectiveRequest request{CollectiveKind::all_reduce, ElementType::bf16, elements};
      const auto groups = CollectiveGroups::all(slice, 2);
      const AlgorithmChoice choice = choose_algorithm(machine, slice, groups, request);
      const double chosen = seconds(simulate(machine, choice.schedule));
      for (Algorithm algorithm : algorithms_for(request.kind)) {
        const auto other = std::make_shared<const CollectiveSchedule>(slice, 2, groups, request, algorithm,
                                                                      segment_lengths(machine, request.type));
        EXPECT_LE(chosen, 1.05 * seconds(simulate(machine, other))) << to_string(slice) << " " << to_string(algorithm);
      }
    }
  }
}

}  // namespace
}  // namespace podsim::sw
