// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <set>

#include "noc/router/round_robin.h"
#include "noc/router/switch_allocator.h"
#include "noc/router/vc_allocator.h"

namespace podsim::noc::router {
namespace {

TEST(RoundRobin, TheFirstFromThePointerOnIsPickedAndAfterTheLastTheFirst) {
  EXPECT_EQ(round_robin_pick(0b0110u, 0), 1);
  EXPECT_EQ(round_robin_pick(0b0110u, 2), 2);
  EXPECT_EQ(round_robin_pick(0b0110u, 3), 1);
  EXPECT_EQ(round_robin_next(3, 4), 0);
}

struct Requests {
  PortMask by_output[max_ports] = {};
  PortMask requested = 0;
};

Requests any_requests(int ports) {
  Requests requests;
  for (int output = 0; output < ports; ++output) {
    requests.by_output[output] = PortMask(*rc::gen::inRange<std::uint64_t>(0, std::uint64_t(1) << ports));
    if (requests.by_output[output] != 0) requests.requested |= PortMask(1) << output;
  }
  return requests;
}

RC_GTEST_PROP(SwitchAllocatorProperty, GrantsAreAMatchingOfRequestsAndEnoughIterationsLeaveNoPairOver, ()) {
  const int ports = *rc::gen::inRange(1, 14);
  const Allocation allocation = *rc::gen::element(Allocation::islip, Allocation::round_robin);
  const bool full = *rc::gen::arbitrary<bool>();
  const SwitchAllocator allocator(ports, allocation, full ? ports : *rc::gen::inRange(1, 3));
  SwitchPointers pointers;
  for (int round = 0; round < 5; ++round) {
    const Requests requests = any_requests(ports);
    std::uint8_t granted[max_ports];
    const PortMask matched = allocator.allocate(requests.by_output, requests.requested, pointers, granted);
    std::set<int> outputs;
    for (PortMask left = matched; left != 0; left &= left - 1) {
      const int input = std::countr_zero(left);
      RC_ASSERT((requests.by_output[granted[input]] >> input & 1) == 1u);
      RC_ASSERT(outputs.insert(granted[input]).second);
    }
    RC_ASSERT((matched != 0) == (requests.requested != 0));
    for (int output = 0; full && output < ports; ++output) {
      if (outputs.count(output) == 0) RC_ASSERT((requests.by_output[output] & ~matched) == 0u);
    }
  }
}

// With every input requesting every output, iSLIP's pointers fall out of step within some rounds and then serve every
// pair once in as many rounds as there are ports (McKeown 1999, section III).
TEST(SwitchAllocator, UnderFullLoadIslipServesEveryPairEquallyAndWastesNothing) {
  constexpr int ports = 5;
  const SwitchAllocator allocator(ports, Allocation::islip, 1);
  SwitchPointers pointers;
  PortMask requests[max_ports];
  for (PortMask& request : requests) request = (1 << ports) - 1;
  int served[ports][ports] = {};
  for (int round = 0; round < 20 + 100; ++round) {
    std::uint8_t granted[max_ports];
    const PortMask matched = allocator.allocate(requests, (1 << ports) - 1, pointers, granted);
    if (round < 20) continue;
    EXPECT_EQ(std::popcount(matched), ports);
    for (int input = 0; input < ports; ++input) ++served[input][granted[input]];
  }
  for (auto& row : served) {
    for (int times : row) EXPECT_EQ(times, 100 / ports);
  }
}

TEST(SwitchAllocator, NobodyWhoKeepsAskingStarves) {
  constexpr int ports = 8;
  for (Allocation allocation : {Allocation::islip, Allocation::round_robin}) {
    const SwitchAllocator allocator(ports, allocation, 1);
    SwitchPointers pointers;
    PortMask requests[max_ports] = {0xff};  // all request output 0
    std::set<int> served;
    for (int round = 0; round < ports; ++round) {
      std::uint8_t granted[max_ports];
      served.insert(std::countr_zero(allocator.allocate(requests, 1, pointers, granted)));
    }
    EXPECT_EQ(served.size(), std::size_t(ports));
  }
}

RC_GTEST_PROP(VcAllocatorProperty, AChannelGoesToOneOfThoseWhoAskForItAndEachGetsOneAtMost, ()) {
  const int ports = *rc::gen::inRange(1, 6), vcs = *rc::gen::inRange(1, 9);
  const Allocation allocation = *rc::gen::element(Allocation::islip, Allocation::round_robin);
  const bool full = *rc::gen::arbitrary<bool>();
  const VcAllocator allocator(ports, vcs, allocation, full ? ports * vcs : 1);
  std::vector<std::uint16_t> grant(std::size_t(ports * vcs)), accept(grant.size());
  for (int round = 0; round < 5; ++round) {
    std::vector<VcRequest> requests;
    std::vector<std::uint64_t> asked;
    for (int input = 0; input < ports * vcs; ++input) {
      if (*rc::gen::inRange(0, 3) != 0) continue;
      const auto mask = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t(1) << vcs);
      requests.push_back({.input = input, .output_port = *rc::gen::inRange(0, ports), .vcs = mask});
      asked.push_back(mask);
    }
    allocator.allocate(requests, {grant.data(), accept.data()});
    std::set<std::pair<int, int>> taken;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (requests[i].granted < 0) continue;
      RC_ASSERT((asked[i] >> requests[i].granted & 1) == 1u);
      RC_ASSERT(taken.insert({requests[i].output_port, requests[i].granted}).second);
    }
    RC_ASSERT(taken.empty() == requests.empty());
    for (std::size_t i = 0; full && i < requests.size(); ++i) {
      for (int vc = 0; requests[i].granted < 0 && vc < vcs; ++vc) {
        if ((asked[i] >> vc & 1) == 1) RC_ASSERT(taken.count({requests[i].output_port, vc}) == 1u);
      }
    }
  }
}

TEST(VcAllocator, ThoseWhoWantOneChannelGetItInTurn) {
  const VcAllocator allocator(3, 2, Allocation::islip, 1);
  std::vector<std::uint16_t> grant(6), accept(6);
  std::vector<int> order;
  for (int round = 0; round < 6; ++round) {
    std::vector<VcRequest> requests;
    for (int input : {0, 3, 4}) requests.push_back({.input = input, .output_port = 1, .vcs = 0b10});
    allocator.allocate(requests, {grant.data(), accept.data()});
    for (const VcRequest& request : requests) {
      if (request.granted >= 0) order.push_back(request.input);
    }
  }
  EXPECT_EQ(order, (std::vector<int>{0, 3, 4, 0, 3, 4}));
}

// An input that requests all channels gets the one after its last one while it is alone. With other inputs, which the
// output's channels serve in turn, it gets each channel at some time too.
TEST(VcAllocator, AnInputThatMayHaveAnyChannelIsGivenEachInTurn) {
  constexpr int ports = 3, vcs = 4;
  for (Allocation allocation : {Allocation::islip, Allocation::round_robin}) {
    for (int others : {0, 2}) {
      const VcAllocator allocator(ports, vcs, allocation, 1);
      std::vector<std::uint16_t> grant(ports * vcs), accept(ports * vcs);
      std::vector<int> served(vcs);
      for (int round = 0; round < 6 * vcs; ++round) {
        std::vector<VcRequest> requests{{.input = 5, .output_port = 1, .vcs = 0b1111}};
        for (int other = 0; other < others; ++other) {
          requests.push_back({.input = 6 + other, .output_port = 1, .vcs = 0b1111});
        }
        allocator.allocate(requests, {grant.data(), accept.data()});
        if (requests[0].granted >= 0) ++served[std::size_t(requests[0].granted)];
        if (others == 0) {
          EXPECT_EQ(requests[0].granted, round % vcs);
        }
      }
      for (int times : served) EXPECT_GT(times, 0) << to_string(allocation) << " beside " << others;
    }
  }
}

// The only request of a cycle moves the pointers as well: who was served then is last in the next.
TEST(Allocators, ServiceWithoutCompetitionCountsAsATurn) {
  const SwitchAllocator allocator(4, Allocation::islip, 1);
  SwitchPointers pointers;
  std::uint8_t granted[max_ports];
  const PortMask alone[max_ports] = {0b0001}, both[max_ports] = {0b0011};
  EXPECT_EQ(allocator.allocate(alone, 1, pointers, granted), 0b0001U);
  EXPECT_EQ(allocator.allocate(both, 1, pointers, granted), 0b0010U);

  const VcAllocator of_channels(4, 1, Allocation::islip, 1);
  std::vector<std::uint16_t> grant(4), accept(4);
  std::vector<VcRequest> one{{.input = 0, .output_port = 2, .vcs = 1}};
  of_channels.allocate(one, {grant.data(), accept.data()});
  std::vector<VcRequest> two{{.input = 0, .output_port = 2, .vcs = 1}, {.input = 1, .output_port = 2, .vcs = 1}};
  of_channels.allocate(two, {grant.data(), accept.data()});
  EXPECT_EQ(two[0].granted, -1);
  EXPECT_EQ(two[1].granted, 0);
}

}  // namespace
}  // namespace podsim::noc::router
