// SPDX-License-Identifier: Apache-2.0
// Collectives over links as queues of messages, on healthy slices and on slices with faults.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "base/diagnostic.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "tests/sw/collectives/collective_cases.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::collectives::engine {
namespace {

using noc::Topology;

class EveryKind : public ::testing::TestWithParam<CollectiveKind> {};
INSTANTIATE_TEST_SUITE_P(Collective, EveryKind, ::testing::ValuesIn(collective_kinds));

TEST_P(EveryKind, FoldedEqualsUnfoldedToThePicosecond) {
  const sw::TargetMachine machine = tpu_v3();
  for (const noc::Topology& slice : {noc::Topology({8, 8}, {true, true}), noc::Topology({16, 8}, {false, true})}) {
    for (Algorithm algorithm : algorithms_for(GetParam())) {
      const auto schedule = schedule_of(machine, slice, {GetParam(), hlo::ElementType::bf16, 100'003}, algorithm);
      const CollectiveOutcome folded = simulate(machine, schedule), full = simulate(machine, schedule, {.fold = false});
      EXPECT_EQ(folded.finish, full.finish) << noc::to_string(slice) << " " << to_string(algorithm);
      EXPECT_TRUE(folded.folded() || GetParam() != CollectiveKind::all_to_all) << noc::to_string(slice);
    }
  }
}

TEST_P(EveryKind, NoLinkCarriesMoreThanItsRateAndNothingBeatsTheBound) {
  const sw::TargetMachine machine = tpu_v3();
  for (const noc::Topology& slice : {noc::Topology({4, 4}, {true, true}), noc::Topology({5, 3}, {false, false}),
                                     noc::Topology({1, 7}, {false, true})}) {
    for (Algorithm algorithm : algorithms_for(GetParam())) {
      const auto schedule = schedule_of(machine, slice, {GetParam(), hlo::ElementType::bf16, 300'000}, algorithm);
      const CollectiveOutcome outcome = simulate(machine, schedule);
      EXPECT_GE(seconds(outcome), schedule::lower_bound(machine, *schedule).si());
      for (const LinkUse& use : outcome.links) {
        EXPECT_LE(double(use.bytes.value()), machine.ici.payload_rate().si() * seconds(outcome) * (1 + 1e-9));
      }
    }
  }
}

TEST_P(EveryKind, CompletesAroundADeadLink) {
  const sw::TargetMachine machine = tpu_v3();
  const noc::Topology slice({8, 8}, {false, true});
  const auto schedule = automatic(machine, slice, {GetParam(), hlo::ElementType::bf16, 40'000});
  const std::array faults{noc::parse_fault("dead-link:(3,3)x+"), noc::parse_fault("dead-link:(0,0)y+")};
  const CollectiveOutcome healthy = simulate(machine, schedule);
  const CollectiveOutcome outcome = simulate(machine, schedule, {.faults = noc::Faults(slice, faults)});
  EXPECT_GT(outcome.duration, healthy.duration);
}

TEST(BytesSent, AreTheClosedFormOfTheAlgorithm) {
  sw::TargetMachine machine = network_only();
  const std::int64_t elements = 3 * 5 * 1000;
  auto sent = [&](CollectiveKind kind, Algorithm algorithm) {
    const noc::Topology slice({3, 5}, {true, true});
    const auto schedule = schedule_of(machine, slice, {kind, hlo::ElementType::bf16, elements}, algorithm);
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
  for (Algorithm algorithm : algorithms_for(CollectiveKind::all_to_all)) {
    EXPECT_EQ(sent(CollectiveKind::all_to_all, algorithm), chips * chips * 1000 * (10 + 18) / 15);
  }
}

TEST(AllToAll, KeepsTheLinkInTheMiddleBusyFromBeginToEnd) {
  // Half of the payload crosses the middle in each direction: from X Y / 2 chips to as many, over the Y links along X,
  // and also along Y.
  const sw::TargetMachine machine = network_only();
  for (const noc::Topology& slice : {noc::Topology({8, 8}, {false, false}), noc::Topology({4, 4}, {false, false})}) {
    const double bytes = 2 * 32e6, chips = slice.nodes();
    const double middle = bytes / chips * (chips / 2) * (chips / 2) / slice.size(0) / machine.ici.payload_rate().si();
    const auto schedule = schedule_of(machine, slice, {CollectiveKind::all_to_all, hlo::ElementType::bf16, 32'000'000},
                                      Algorithm::two_colour);
    const double time = seconds(simulate(machine, schedule));
    EXPECT_GE(time, middle);
    EXPECT_LE(time, 1.05 * middle) << noc::to_string(slice);
  }
}

TEST(AllToAll, AroundARingTakesTheEighthOfASquareOfChunks) {
  // Chunks of S/n go 1, 2 ... n/2 links, half of the last in each direction: n^2/8 over every link. Slices of a step
  // are passed on behind those that came before, so the last slice shows the latency of each of n/2 steps.
  const sw::TargetMachine machine = network_only();
  for (std::int64_t n : {4, 8, 16}) {
    const auto schedule =
        schedule_of(machine, noc::Topology({n}, {true}),
                    {CollectiveKind::all_to_all, hlo::ElementType::bf16, n * 8'000'000}, Algorithm::y_then_x);
    const double form = double(n * n) / 8 * 16e6 / machine.ici.payload_rate().si();
    EXPECT_NEAR(seconds(simulate(machine, schedule)), form + double(n) / 2 * machine.ici.neighbour_latency().si(), 1e-6)
        << n;
  }
}

TEST(Rotated, ACubeUsesTheLinksOfAllThreeDimensionsAtOnce) {
  // No less than 2 S (N-1)/N over a chip's six links; two orders leave those of one dimension idle. An all-to-all is
  // bounded by the links of the cube's bisection: S/2 of every chip of a half over 2 n^2 links, c ranks a chip.
  const sw::TargetMachine machine = network_only();
  const std::int64_t elements = 48'000'000, n = 4;
  const noc::Topology cube({n, n, n}, {true, true, true});
  const double bytes = 2 * double(elements), chips = double(cube.nodes()), link = machine.ici.payload_rate().si();
  auto time = [&](CollectiveKind kind, Algorithm algorithm) {
    return seconds(simulate(machine, schedule_of(machine, cube, {kind, hlo::ElementType::bf16, elements}, algorithm)));
  };
  const double least = 2 * bytes * (chips - 1) / chips / (6 * link);
  EXPECT_GE(time(CollectiveKind::all_reduce, Algorithm::rotated), least);
  EXPECT_LE(time(CollectiveKind::all_reduce, Algorithm::rotated), 1.1 * least);
  EXPECT_GE(time(CollectiveKind::all_reduce, Algorithm::two_colour), 1.4 * least);
  const double ranks = double(machine.cores_per_chip);
  const double halves = ranks * bytes * chips / 4 / double(2 * n * n) / link;
  EXPECT_GE(time(CollectiveKind::all_to_all, Algorithm::rotated), halves);
  EXPECT_LE(time(CollectiveKind::all_to_all, Algorithm::rotated), 1.05 * halves);
}

TEST(Rotated, NothingElseThanTwoColoursOnTwoDimensions) {
  const sw::TargetMachine machine = tpu_v3();
  for (CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
    const schedule::CollectiveRequest request{kind, hlo::ElementType::bf16, 1'000'000};
    const noc::Topology slice({8, 4}, {true, false});
    EXPECT_EQ(simulate(machine, schedule_of(machine, slice, request, Algorithm::rotated)).duration,
              simulate(machine, schedule_of(machine, slice, request, Algorithm::two_colour)).duration);
  }
}

TEST(Faults, ADeadChipIsAVerdictThatNamesThePair) {
  const sw::TargetMachine machine = tpu_v3();
  const noc::Topology slice({4, 4}, {false, false});
  const std::array faults{noc::parse_fault("dead-chip:(2,2)")};
  const auto schedule = automatic(machine, slice, {CollectiveKind::all_reduce, hlo::ElementType::bf16, 1000});
  for (NetworkLevel level : {NetworkLevel::message, NetworkLevel::packet}) {
    try {
      simulate(machine, schedule, {.network = level, .faults = noc::Faults(slice, faults)});
      FAIL() << "a dead chip took part";
    } catch (const base::SimulationError& error) {
      EXPECT_NE(std::string(error.what()).find("(2,2)"), std::string::npos) << error.what();
    }
  }
}

TEST(Faults, ASlowLinkAndASlowChipCostTimeAndJitterFollowsItsSeed) {
  const sw::TargetMachine machine = tpu_v3();
  const noc::Topology slice({4, 4}, {true, true});
  const auto schedule = automatic(machine, slice, {CollectiveKind::all_reduce, hlo::ElementType::bf16, 1'000'000});
  const base::Time healthy = simulate(machine, schedule, {.fold = false}).duration;
  auto with = [&](const char* text, std::uint64_t seed = 1) {
    const std::array faults{noc::parse_fault(text)};
    return simulate(machine, schedule, {.faults = noc::Faults(slice, faults), .seed = seed}).duration;
  };
  EXPECT_GT(with("slow-link:(0,0)x+:0.5"), healthy);
  EXPECT_GT(with("slow-chip:(1,1):0.5"), healthy);
  EXPECT_GE(with("jitter:5us"), healthy);
  EXPECT_EQ(with("jitter:5us", 3), with("jitter:5us", 3));
  EXPECT_NE(with("jitter:5us", 3), with("jitter:5us", 4));
}

// Where no two flows share a link, no messages change order: all times are maxima of sums of the starts and durations.
// Two flows may pass a link in another order and take longer than the jitter.
TEST(Faults, JitterDelaysFlowsThatShareNoLinkByNoMoreThanItself) {
  const sw::TargetMachine machine = tpu_v3();
  const noc::Topology slice({4, 4}, {true, true});
  for (std::int64_t elements : {20'000, 1'000'000}) {
    const auto schedule = schedule_of(machine, slice, {CollectiveKind::all_reduce, hlo::ElementType::bf16, elements},
                                      Algorithm::one_way_ring);
    const base::Time healthy = simulate(machine, schedule, {.fold = false}).duration;
    const std::array faults{noc::parse_fault("jitter:5us")};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const base::Time late =
          simulate(machine, schedule, {.faults = noc::Faults(slice, faults), .seed = seed}).duration;
      EXPECT_GE(late, healthy) << seed;
      EXPECT_LE(late, healthy + base::Time(5'000'000)) << seed;
    }
  }
}

TEST(AlgorithmChoice, IsTheOneThatTheSimulationFindsFastestOrWithinAFewPercentOfIt) {
  const sw::TargetMachine machine = tpu_v3();
  for (const noc::Topology& slice : {noc::Topology({8, 4}, {false, false}), noc::Topology({8, 8}, {true, true}),
                                     noc::Topology({16, 4}, {false, true})}) {
    for (std::int64_t elements : {10'000, 5'000'000}) {
      const schedule::CollectiveRequest request{CollectiveKind::all_reduce, hlo::ElementType::bf16, elements};
      const auto groups = CollectiveGroups::all(slice, 2);
      const AlgorithmChoice choice = choose_algorithm(machine, slice, groups, request);
      const double chosen = seconds(simulate(machine, choice.schedule));
      for (Algorithm algorithm : algorithms_for(request.kind)) {
        const auto other = schedule_of(machine, slice, request, algorithm);
        EXPECT_LE(chosen, 1.05 * seconds(simulate(machine, other)))
            << noc::to_string(slice) << " " << to_string(algorithm);
      }
    }
  }
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
