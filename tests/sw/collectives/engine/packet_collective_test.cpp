// SPDX-License-Identifier: Apache-2.0
// Collectives over packets: the same times as over messages, the same values on any network, and flits and
// credits conserved.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/expected_results.h"
#include "tests/sw/collectives/collective_cases.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::collectives::engine {
namespace {

using noc::Topology;

std::string name_of(CollectiveKind kind) {
  std::string name(to_string(kind));
  std::erase(name, '-');
  return name;
}

struct Sample {
  CollectiveKind kind;
  noc::Topology slice;
  std::int64_t elements;
};

std::string sample_name(const ::testing::TestParamInfo<Sample>& info) {
  const noc::Topology& slice = info.param.slice;
  std::string name = name_of(info.param.kind) + "_" + noc::to_string(slice) + "_";
  for (int d = 0; d < slice.dimensions(); ++d) name += slice.wraps(d) ? 'o' : 'l';
  return name + "_" + std::to_string(info.param.elements);
}

void PrintTo(const Sample& sample, std::ostream* out) {
  *out << to_string(sample.kind) << " on " << noc::to_string(sample.slice) << ", " << sample.elements << " elements";
}

std::vector<Sample> samples() {
  std::vector<Sample> result;
  for (CollectiveKind kind : collective_kinds) {
    for (std::int64_t elements : {2'000, 50'000, 500'000}) {
      result.push_back({kind, noc::Topology({4, 4}, {true, false}), elements});
      result.push_back({kind, noc::Topology({4, 4}, {false, false}), elements});
    }
    for (std::int64_t elements : {8'000, 120'000}) {
      result.push_back({kind, noc::Topology({8, 8}, {false, false}), elements});
      result.push_back({kind, noc::Topology({8, 8}, {true, true}), elements});
    }
    result.push_back({kind, noc::Topology({16, 8}, {false, false}), 16'000});
    result.push_back({kind, noc::Topology({16, 8}, {false, true}), 100'000});
  }
  return result;
}

class BothLevels : public ::testing::TestWithParam<Sample> {};
INSTANTIATE_TEST_SUITE_P(Collective, BothLevels, ::testing::ValuesIn(samples()), sample_name);

TEST_P(BothLevels, AgreeWithinFivePercent) {
  const sw::TargetMachine machine = tpu_v3();
  const auto& [kind, slice, elements] = GetParam();
  const schedule::CollectiveRequest request{kind, hlo::ElementType::bf16, elements};
  // Packets of large direct sends wait for each other at turns, which messages do not show (patterns/direct.h).
  const bool by_dimension = kind == CollectiveKind::all_to_all && elements >= 100'000;
  const auto schedule =
      by_dimension ? schedule_of(machine, slice, request, Algorithm::two_colour) : automatic(machine, slice, request);
  const double messages = seconds(simulate(machine, schedule));
  const double packets = seconds(simulate(machine, schedule, {.network = NetworkLevel::packet}));
  EXPECT_NEAR(packets / messages, 1, 0.05);
}

/// Groups of every n-th core, whose rings pass the chips of other groups.
struct Strided {
  CollectiveKind kind;
  noc::Topology slice;
  int groups;
  std::int64_t elements;
};

std::string strided_name(const ::testing::TestParamInfo<Strided>& info) {
  const auto& [kind, slice, groups, elements] = info.param;
  return sample_name({{kind, slice, elements}, info.index}) + "_" + std::to_string(groups) + "groups";
}

void PrintTo(const Strided& sample, std::ostream* out) {
  PrintTo(Sample{sample.kind, sample.slice, sample.elements}, out);
  *out << ", " << sample.groups << " groups";
}

std::vector<Strided> strided() {
  std::vector<Strided> result;
  // docs/model.md has what is further apart: all-to-alls, and groups on rows of 16 chips.
  for (CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
    for (const int groups : {4, 8, 32}) {
      result.push_back({kind, noc::Topology({8, 8}, {false, false}), groups, 500'000});
      result.push_back({kind, noc::Topology({8, 8}, {true, true}), groups, 100'000});
    }
    result.push_back({kind, noc::Topology({32, 4}, {true, false}), 4, 500'000});
  }
  // The buffers of a link hold 192 KiB: with this much the rings are full for long.
  result.push_back({CollectiveKind::all_gather, noc::Topology({32, 4}, {true, false}), 4, 2'000'000});
  result.push_back({CollectiveKind::all_gather, noc::Topology({8, 8}, {false, false}), 32, 2'000'000});
  return result;
}

class StridedGroups : public ::testing::TestWithParam<Strided> {};
INSTANTIATE_TEST_SUITE_P(Collective, StridedGroups, ::testing::ValuesIn(strided()), strided_name);

TEST_P(StridedGroups, AgreeWithinTenPercent) {
  const sw::TargetMachine machine = tpu_v3();
  const auto& [kind, slice, groups, elements] = GetParam();
  const auto each =
      CollectiveGroups::parse(fmt::format("[{0},{1}]<=[{1},{0}]T(1,0)", groups, slice.nodes() * 2 / groups), slice, 2);
  const auto schedule = choose_algorithm(machine, slice, each, {kind, hlo::ElementType::bf16, elements}).schedule;
  const double messages = seconds(simulate(machine, schedule));
  const double packets = seconds(simulate(machine, schedule, {.network = NetworkLevel::packet}));
  EXPECT_NEAR(packets / messages, 1, 0.1);
}

class OverPackets : public ::testing::TestWithParam<CollectiveKind> {};
INSTANTIATE_TEST_SUITE_P(Collective, OverPackets, ::testing::ValuesIn(collective_kinds),
                         [](const auto& kind) { return name_of(kind.param); });

/// 2 S (N-1)/N over all the links that a chip has.
double all_reduce_bound(const sw::TargetMachine& machine, const noc::Topology& slice, double bytes) {
  int links = 1;
  for (noc::NodeId chip = 0; chip < slice.nodes(); ++chip) links = std::max(links, slice.links_from(chip));
  const double n = slice.nodes();
  return 2 * bytes * (n - 1) / n / (links * machine.ici.payload_rate().si());
}

void expect_physical(const sw::TargetMachine& machine, const schedule::CollectiveSchedule& schedule,
                     const CollectiveOutcome& outcome) {
  EXPECT_EQ(outcome.audit, "");
  EXPECT_GE(seconds(outcome), schedule::lower_bound(machine, schedule).si());
  if (schedule.request().kind == CollectiveKind::all_reduce) {
    const double bytes = double(schedule.bytes(schedule.request().elements).value());
    EXPECT_GE(seconds(outcome), all_reduce_bound(machine, schedule.slice(), bytes));
  }
  for (const LinkUse& use : outcome.links) {
    EXPECT_LE(double(use.bytes.value()), machine.ici.payload_rate().si() * seconds(outcome)) << use.link;
    EXPECT_LE(use.busy, outcome.duration) << use.link;
  }
}

TEST_P(OverPackets, LinksKeepToTheirRateFlitsAndCreditsAddUpAndNothingBeatsTheBound) {
  const sw::TargetMachine machine = tpu_v3();
  for (const noc::Topology& slice : {noc::Topology({4, 4}, {true, true}), noc::Topology({5, 3}, {false, false}),
                                     noc::Topology({1, 7}, {false, true})}) {
    for (Algorithm algorithm : algorithms_for(GetParam())) {
      const auto schedule = schedule_of(machine, slice, {GetParam(), hlo::ElementType::bf16, 60'000}, algorithm);
      SCOPED_TRACE(noc::to_string(slice) + " " + std::string(to_string(algorithm)));
      expect_physical(machine, *schedule, simulate(machine, schedule, {.network = NetworkLevel::packet}));
    }
  }
}

// Small integers, whose sums are exact in every order.
CoreVectors integers(const schedule::CollectiveSchedule& schedule) {
  std::uint32_t state = 1;
  const std::uint32_t values = traits(schedule.request().kind).reduces ? 2 : 200;
  return operands_of(schedule, [&] {
    state = state * 1664525U + 1013904223U;
    return double((state >> 16) % values);
  });
}

/// Every link stalls and retransmits at random, and chips begin at random times.
void expect_right_numbers_in_spite_of_stalls(const noc::Topology& slice, const schedule::CollectiveRequest& request,
                                             Algorithm algorithm) {
  const sw::TargetMachine machine = tpu_v3();
  const auto schedule = schedule_of(machine, slice, request, algorithm);
  const CoreVectors operands = integers(*schedule);
  CollectiveData data(*schedule, operands);
  const std::array faults{noc::parse_fault("stalls:0.3"), noc::parse_fault("bit-errors:1e-6"),
                          noc::parse_fault("jitter:3us")};
  SCOPED_TRACE(noc::to_string(slice) + " " + std::string(to_string(algorithm)));
  const CollectiveOutcome outcome =
      simulate(machine, schedule,
               {.network = NetworkLevel::packet, .faults = noc::Faults(slice, faults), .seed = 5, .data = &data});
  EXPECT_TRUE(data.results() == expected_results(*schedule, operands));
  expect_physical(machine, *schedule, outcome);
}

TEST_P(OverPackets, OddSlicesEndWithTheRightNumbersWhateverStalls) {
  for (const noc::Topology& slice :
       {noc::Topology({3, 5}, {false, true}), noc::Topology({1, 7}, {false, false}),
        noc::Topology({2, 3, 4}, {true, false, true}), noc::Topology({1, 1}, {false, false})}) {
    for (Algorithm algorithm : algorithms_for(GetParam())) {
      for (hlo::ElementType type : {hlo::ElementType::bf16, hlo::ElementType::f32}) {
        expect_right_numbers_in_spite_of_stalls(slice, {GetParam(), type, 1001}, algorithm);
      }
    }
  }
}

TEST_P(OverPackets, OneHundredTwentyEightChipsEndWithTheRightNumbersWhateverStalls) {
  const noc::Topology slice({16, 8}, {false, true});
  for (hlo::ElementType type : {hlo::ElementType::bf16, hlo::ElementType::f32}) {
    expect_right_numbers_in_spite_of_stalls(slice, {GetParam(), type, 1003}, algorithms_for(GetParam()).front());
  }
}

TEST(Stalls, TakeTheirShareOfTheRateOfPacketsAndOfMessages) {
  // A link that stalls with probability p in any cycle has 1 - p of its rate: 2 (n-1)(S / (n b (1-p)) + L).
  const sw::TargetMachine machine = network_only();
  const noc::Topology slice({4}, {true});
  const auto schedule = schedule_of(machine, slice, {CollectiveKind::all_reduce, hlo::ElementType::bf16, 1'000'000},
                                    Algorithm::one_way_ring);
  const std::array faults{noc::parse_fault("stalls:0.5")};
  const double rate = 0.5 * machine.ici.payload_rate().si(), latency = machine.ici.neighbour_latency().si();
  for (NetworkLevel level : {NetworkLevel::message, NetworkLevel::packet}) {
    const double stalled =
        seconds(simulate(machine, schedule, {.network = level, .faults = noc::Faults(slice, faults)}));
    EXPECT_NEAR(stalled / (6 * (2e6 / (4 * rate) + latency)), 1, 0.01);
  }
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
