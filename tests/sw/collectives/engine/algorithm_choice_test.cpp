// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/algorithm_choice.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/sw/collectives/collective_cases.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::collectives::engine {
namespace {

TEST(SlicePart, LinesOfChipsAreOneLine) {
  const noc::Topology slice({8, 4}, {false, true});
  const auto parts = different_parts(slice, 2, CollectiveGroups::parse("x", slice, 2));
  ASSERT_EQ(parts.size(), 1);
  EXPECT_EQ(parts[0].slice, noc::Topology({8, 1}, {false, false}));
  ASSERT_EQ(parts[0].groups.size(), 1);
  EXPECT_EQ(parts[0].groups[0].size(), 16);
}

TEST(SlicePart, GroupsThatInterleaveAreInOnePartWithItsWrapLinks) {
  // Every fourth core: the even chips' cores 0 and 1, and the odd ones'.
  const noc::Topology slice({4, 8}, {true, false});
  const auto parts = different_parts(slice, 2, CollectiveGroups::parse("[4,16]<=[16,4]T(1,0)", slice, 2));
  ASSERT_EQ(parts.size(), 1);
  EXPECT_EQ(parts[0].slice, slice);
  EXPECT_EQ(parts[0].groups.size(), 4);
}

TEST(SlicePart, GroupsOfDifferentShapesAreDifferentParts) {
  const noc::Topology slice({4, 1}, {false, false});
  const CollectiveGroups groups({{0, 1, 2, 3}, {4, 5}, {6, 7}});
  const auto parts = different_parts(slice, 2, groups);
  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0].slice.nodes(), 2);
  EXPECT_EQ(parts[1].slice.nodes(), 1);
}

TEST(SlicePart, APartThatTouchesAnotherPodKeepsTheLengthOfPods) {
  const noc::Topology slice({8, 2}, {false, false}, 4);
  const auto inside = different_parts(slice, 1, CollectiveGroups({{0, 1}, {2, 3}}));
  ASSERT_EQ(inside.size(), 1);
  EXPECT_EQ(inside[0].slice.pod_length(), 0);
  const auto across = different_parts(slice, 1, CollectiveGroups({{3, 4}}));
  ASSERT_EQ(across.size(), 1);
  EXPECT_EQ(across[0].slice, noc::Topology({8, 1}, {false, false}, 4));
}

// The oracle is the simulation of the whole slice, without folding.
TEST(CollectiveTimes, AreWithinEightPercentOfTheWholeSliceSimulated) {
  const sw::TargetMachine machine = tpu_v3();
  EXPECT_TRUE(rc::check([&] {
    const auto size = [] { return std::int64_t(1) << *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 4)); };
    const std::int64_t x = size(), y = size() * (x == 1 ? 2 : 1);
    const noc::Topology slice({x, y}, {*rc::gen::arbitrary<bool>() && x > 2, *rc::gen::arbitrary<bool>() && y > 2});
    const CollectiveKind kind = *rc::gen::elementOf(std::vector(collective_kinds.begin(), collective_kinds.end()));
    const Algorithm algorithm = *rc::gen::elementOf(algorithms_for(kind, 2));
    const std::int64_t all = slice.nodes() * 2, members = std::int64_t(1) << *rc::gen::inRange(1, 4);
    RC_PRE(members <= all);
    const std::string shape = members == 8 && y > 1 ? "y"
                              : *rc::gen::arbitrary<bool>()
                                  ? fmt::format("[{},{}]<=[{}]", all / members, members, all)
                                  : fmt::format("[{0},{1}]<=[{1},{0}]T(1,0)", all / members, members);
    const CollectiveGroups groups = kind == CollectiveKind::collective_permute
                                        ? groups_of(kind, slice, 2)
                                        : CollectiveGroups::parse(shape, slice, 2);
    const std::int64_t elements = *rc::gen::element<std::int64_t>(7, 3000, 100'000, 3'000'000, 60'000'000);
    const schedule::CollectiveRequest request{kind, hlo::ElementType::bf16, elements};
    CollectiveTimes times(machine);
    const double estimate = times.time(slice, groups, request, algorithm).si();
    const auto whole = std::make_shared<const schedule::CollectiveSchedule>(
        slice, 2, groups, request, algorithm, schedule::segment_lengths(machine, request.type));
    RC_LOG() << to_string(kind) << " " << to_string(algorithm) << " " << shape << " on " << noc::to_string(slice);
    const double simulated = seconds(simulate(machine, whole, {.fold = false}));
    RC_ASSERT(std::abs(estimate / simulated - 1) <= 0.08);
    // The full simulation has the same slice or a translate of each part.
    if (elements <= 3'000'000) RC_ASSERT(std::abs(estimate / simulated - 1) <= 0.02);
  }));
}

// Groups of two rows, of a row and of pairs on one slice: the oracle is the simulation of the whole slice, which ends
// with its slowest group.
TEST(CollectiveTimes, OfDifferentGroupsAreThoseOfTheSlowest) {
  const sw::TargetMachine machine = tpu_v3();
  const noc::Topology slice({4, 4}, {false, false});
  CollectiveGroups::Ranks rows, row;
  std::vector<CollectiveGroups::Ranks> all;
  for (std::int32_t core = 0; core < 16; ++core) rows.push_back(core);
  for (std::int32_t core = 16; core < 24; ++core) row.push_back(core);
  for (std::int32_t core = 24; core < 32; core += 2) all.push_back({core, core + 1});
  for (const bool longest_first : {true, false}) {
    std::vector<CollectiveGroups::Ranks> groups = all;
    groups.insert(longest_first ? groups.begin() : groups.end(), {rows, row});
    for (const std::int64_t elements : {2'000, 500'000, 4'000'000}) {
      const schedule::CollectiveRequest request{CollectiveKind::all_reduce, hlo::ElementType::bf16, elements};
      for (const Algorithm algorithm : algorithms_for(CollectiveKind::all_reduce, 2)) {
        CollectiveTimes times(machine);
        const auto whole = std::make_shared<const schedule::CollectiveSchedule>(
            slice, 2, CollectiveGroups(groups), request, algorithm, schedule::segment_lengths(machine, request.type));
        const double simulated = seconds(simulate(machine, whole, {.fold = false}));
        EXPECT_NEAR(times.time(slice, CollectiveGroups(groups), request, algorithm).si() / simulated, 1, 0.08)
            << to_string(algorithm) << " " << elements;
      }
    }
  }
}

// 256 cores are 65,280 messages: on a mesh more than are simulated.
TEST(CollectiveTimes, OfManyDirectSendsAreWithinEightPercentOfTheirSimulation) {
  const sw::TargetMachine machine = tpu_v3();
  for (const bool wraps : {false, true}) {
    const noc::Topology slice({16, 8}, {wraps, wraps});
    const auto groups = CollectiveGroups::all(slice, 2);
    for (const std::int64_t elements : {2'000, 500'000, 8'000'000}) {
      const schedule::CollectiveRequest request{CollectiveKind::all_to_all, hlo::ElementType::bf16, elements};
      CollectiveTimes times(machine);
      const double estimate = times.time(slice, groups, request, Algorithm::direct).si();
      const double simulated = seconds(simulate(machine, schedule_of(machine, slice, request, Algorithm::direct)));
      EXPECT_NEAR(estimate / simulated, 1, 0.08) << elements << (wraps ? " on a torus" : " on a mesh");
    }
  }
}

// Every algorithm has the same launch.
TEST(CollectiveTimes, ALongerLaunchChoosesTheSameAlgorithm) {
  sw::TargetMachine machine = tpu_v3(), slow = machine;
  slow.collective_code.launch_doubling = base::Duration(1e-3);
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::all_to_all}) {
    for (const std::int64_t x : {4, 8}) {
      const noc::Topology slice({x, 4}, {false, false});
      for (const std::int64_t elements : {2'000, 100'000, 3'000'000}) {
        const schedule::CollectiveRequest request{kind, hlo::ElementType::bf16, elements};
        const AlgorithmChoice usual = choose_algorithm(machine, slice, CollectiveGroups::all(slice, 2), request);
        const AlgorithmChoice other = choose_algorithm(slow, slice, CollectiveGroups::all(slice, 2), request);
        EXPECT_EQ(usual.schedule->algorithm(), other.schedule->algorithm()) << to_string(kind) << " " << elements;
        EXPECT_EQ(usual.candidates.size(), other.candidates.size()) << to_string(kind) << " " << elements;
      }
    }
  }
}

// Packets of direct sends wait for each other, so that messages alone would choose them too often.
TEST(CollectiveTimes, TheChosenAllToAllIsTheFastestOverPackets) {
  const sw::TargetMachine machine = tpu_v3();
  const noc::Topology slice({4, 4}, {false, false});
  for (const std::int64_t elements : {2'000, 30'000, 500'000}) {
    const schedule::CollectiveRequest request{CollectiveKind::all_to_all, hlo::ElementType::bf16, elements};
    const auto over_packets = [&](const auto& schedule) {
      return seconds(simulate(machine, schedule, {.network = NetworkLevel::packet}));
    };
    const auto chosen = choose_algorithm(machine, slice, CollectiveGroups::all(slice, 2), request).schedule;
    for (const Algorithm algorithm : algorithms_for(CollectiveKind::all_to_all, 2)) {
      EXPECT_LE(over_packets(chosen), 1.021 * over_packets(schedule_of(machine, slice, request, algorithm)))
          << to_string(algorithm) << " " << elements;
    }
  }
}

TEST(CollectiveTimes, TheChosenAlgorithmIsTheFastestSimulatedUpToTies) {
  const sw::TargetMachine machine = tpu_v3();
  for (const noc::Topology& slice : {noc::Topology({4, 4}, {false, false}), noc::Topology({8, 2}, {false, false})}) {
    for (const CollectiveKind kind :
         {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::broadcast}) {
      for (const std::int64_t elements : {2'000, 500'000, 8'000'000}) {
        const schedule::CollectiveRequest request{kind, hlo::ElementType::bf16, elements};
        const auto groups = CollectiveGroups::all(slice, 2);
        const double chosen = seconds(simulate(machine, choose_algorithm(machine, slice, groups, request).schedule));
        for (const Algorithm algorithm : algorithms_for(kind, 2)) {
          const double other = seconds(simulate(machine, schedule_of(machine, slice, request, algorithm)));
          EXPECT_LE(chosen, other * 1.021) << to_string(kind) << " " << to_string(algorithm) << " " << elements;
        }
      }
    }
  }
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
