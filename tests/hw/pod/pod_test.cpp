// SPDX-License-Identifier: Apache-2.0
#include "hw/pod/pod.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/systemc/systemc_time.h"
#include "hw/chip/replay_chip.h"
#include "hw/pod/bare_pod.h"
#include "tests/hw/scripted_runtime.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::pod {
namespace {

using base::Bytes;
using base::Time;

struct Client : noc::ici::IciClient {
  void message_taken(noc::NodeId, const noc::ici::Message&, Time) override {}
  void message_received(noc::NodeId node, const noc::ici::Message&, Time when) override {
    receiver = node;
    received = when;
  }
  noc::NodeId receiver = -1;
  Time received;
};

noc::ici::Message one_hop() { return {.hops = {1}, .bytes = Bytes(1 << 20), .channel = 1}; }

TEST(Pod, JoinsItsChipsByTheFabric) {
  const Machine machine = tpu_v3();
  ScriptedRuntime runtime({});
  const auto make = [&](noc::NodeId node, const chip::IciBinding& ici) {
    return std::make_unique<chip::ReplayChip>(("chip_" + std::to_string(node)).c_str(), machine, node, runtime, Trace{},
                                              ici);
  };
  Pod pod("pod", 2, make, noc::Topology({2}, {false}), machine.ici);
  for (const char* module : {"pod.fabric", "pod.chip_0", "pod.chip_1.ici"}) {
    ASSERT_NE(sc_core::sc_find_object(module), nullptr) << module;
    EXPECT_STREQ(sc_core::sc_find_object(module)->kind(), "sc_module") << module;
  }
  Client client;
  for (chip::Chip* chip : pod.chips()) chip->ici()->attach(1, client);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  pod.chip(0).ici()->send(one_hop());
  sc_core::sc_start();
  EXPECT_EQ(client.receiver, 1);
  const base::Duration expected = Bytes(1 << 20) / machine.ici.payload_rate() + machine.ici.hop_latency;
  EXPECT_NEAR(double(client.received.value()), expected.si() * 1e12, 1);
  EXPECT_EQ(pod.network().links().messages_delivered(), 1);
}

// Claims of one resource are served one after another, those of different resources at once; a slow chip serves them
// at its fraction of the rate.
TEST(BarePod, ServesClaimsAndMessagesOfChips) {
  const Machine machine = tpu_v3();
  const noc::Topology line({2}, {false});
  const noc::Fault slow{.kind = noc::Fault::Kind::slow_chip, .chip = {1}, .value = 0.5};
  BarePod pod(machine, line, noc::Faults(line, std::span(&slow, 1)));
  const Bytes bytes(1 << 20);
  const Time once = base::to_time(base::DataSize(1 << 20) / machine.hbm.stream_rate);
  const auto end = [&](noc::NodeId chip, const chip::CoreMemory& from, const chip::CoreMemory& to) {
    return pod.chip(chip).move(Time(0), {from, to, bytes}).when;
  };
  EXPECT_EQ(end(0, chip::hbm_of(0), chip::vmem_of(0)), once);
  EXPECT_EQ(end(0, chip::hbm_of(0), chip::vmem_of(0)), once * 2);
  EXPECT_EQ(end(0, chip::hbm_of(1), chip::vmem_of(1)), once);
  EXPECT_NEAR(double(end(1, chip::vmem_of(0), chip::hbm_of(0)).value()), 2 * double(once.value()), 2);
  const base::Clock clock(machine.clock);
  EXPECT_EQ(end(0, chip::vmem_of(0), chip::vmem_of(1)),
            clock.time_of(base::Cycles((1 << 20) / machine.chip_switch.bytes_per_cycle)) +
                clock.time_of(machine.chip_switch.crossing_latency));
  Client client;
  pod.links().send(one_hop(), client, noc::ici::Delivery::ahead, Time(0));
  EXPECT_EQ(client.receiver, 1);
}

}  // namespace
}  // namespace podsim::hw::pod
