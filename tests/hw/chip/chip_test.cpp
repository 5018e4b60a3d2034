// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/chip.h"

#include <gtest/gtest.h>

#include <chrono>

#include "hw/chip/replay_chip.h"
#include "hw/chip/tile_chip.h"
#include "noc/ici/message_fabric.h"
#include "tests/hw/scripted_runtime.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::chip {
namespace {

TEST(Chip, HasTheMachineFileSNumberOfCoresAtBothDetails) {
  base::Config config = machine_file("tpu-v3");
  config.set("core.cores_per_chip=3");
  const Machine machine = read_machine(config);
  ScriptedRuntime runtime({Delay{base::Cycles(1)}});
  TileChip tile("tile", machine, 5, runtime);
  ReplayChip replay("replay", machine, 6, runtime);
  EXPECT_EQ(tile.cores(), 3);
  EXPECT_EQ(replay.cores(), 3);
  EXPECT_EQ(tile.core(2).id(), (core::CoreId{5, 2}));
  sc_core::sc_start();
  for (int chip : {5, 6}) {
    for (int core = 0; core < 3; ++core) EXPECT_EQ(runtime.records(chip, core).size(), 1u);
  }
}

TEST(Chip, SendsMessagesThroughTheFabricItIsConnectedTo) {
  struct Client : noc::ici::IciClient {
    void message_taken(noc::NodeId, const noc::ici::Message&, base::Time) override {}
    void message_received(noc::NodeId node, const noc::ici::Message& message, base::Time) override {
      receiver = node;
      bytes = message.bytes;
    }
    noc::NodeId receiver = -1;
    base::Bytes bytes;
  };
  const Machine machine = tpu_v3();
  ScriptedRuntime runtime({});
  noc::ici::MessageFabric fabric("fabric", noc::FoldedTopology(noc::Topology({2}, {false})), machine.ici);
  TileChip first("first", machine, 0, runtime, {}, memory::MemoryDetail::stream, to_network(fabric));
  ReplayChip second("second", machine, 1, runtime, {}, to_network(fabric));
  Client client;
  EXPECT_STREQ(first.ici()->name(), "first.ici");
  first.ici()->attach(1, client);
  second.ici()->attach(1, client);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  noc::ici::Message message;
  message.hops[0] = 1;
  message.bytes = base::Bytes(4096);
  message.channel = 1;
  first.ici()->send(message);
  sc_core::sc_start();
  EXPECT_EQ(client.receiver, 1);
  EXPECT_EQ(client.bytes, base::Bytes(4096));
}

// Claims of one resource are served one after another, those of different resources at once.
TEST(Chip, ServesTransfersInOrder) {
  const Machine machine = tpu_v3();
  Chip chip("chip", machine, 0);
  EXPECT_EQ(chip.ici(), nullptr);
  ChipTransfers& transfers = *chip.transfers.operator->();
  const base::Bytes bytes(1 << 20);
  const base::Time once = base::to_time(base::DataSize(1 << 20) / machine.hbm.stream_rate);
  const auto end = [&](const CoreMemory& from, const CoreMemory& to) {
    return transfers.move(base::Time(0), {from, to, bytes}).when;
  };
  EXPECT_EQ(end(hbm_of(0), vmem_of(0)), once);
  EXPECT_EQ(end(hbm_of(0), vmem_of(0)), once * 2);
  EXPECT_EQ(end(hbm_of(1), vmem_of(1)), once);
  const base::Clock clock(machine.clock);
  const base::Time port = clock.time_of(base::Cycles((1 << 20) / machine.chip_switch.bytes_per_cycle));
  const base::Time crossing = clock.time_of(machine.chip_switch.crossing_latency);
  EXPECT_EQ(end(vmem_of(0), vmem_of(1)), port + crossing);
  EXPECT_EQ(end(vmem_of(0), vmem_of(1)), port * 2 + crossing);
  EXPECT_EQ(end(vmem_of(1), vmem_of(0)), port + crossing);
  const VectorWork work{.loads = 1000, .stores = 1000, .alu_ops = 1000};
  const base::Time added = transfers.compute(0, base::Time(0), work);
  EXPECT_GT(added, base::Time(0));
  EXPECT_EQ(transfers.compute(0, base::Time(0), work), added * 2);
}

TEST(Chip, ASlowOneTakesLongerForEverything) {
  const Machine machine = tpu_v3();
  Chip healthy("healthy", machine, 0), slow("slow", machine, 1, {}, {}, {0.5, 0.5});
  const base::Bytes bytes(1 << 20);
  const VectorWork work{.loads = 1000, .stores = 1000, .alu_ops = 1000};
  const auto ratio = [](base::Time a, base::Time b) { return double(a.value()) / double(b.value()); };
  const Move write{vmem_of(0), hbm_of(0), bytes};
  EXPECT_NEAR(
      ratio(slow.transfers->move(base::Time(0), write).when, healthy.transfers->move(base::Time(0), write).when), 2,
      1e-6);
  EXPECT_NEAR(
      ratio(slow.transfers->compute(0, base::Time(0), work), healthy.transfers->compute(0, base::Time(0), work)), 2,
      1e-6);
  EXPECT_EQ(slow.transfers->slowed(base::Time(1000)), base::Time(2000));
}

TEST(Chip, ThousandsRunAProgramAtReplayDetail) {
  const Machine machine = tpu_v3();
  const TileOp op{"op", {}, base::Bytes(0)};
  OpResult recorded;
  recorded.cycles = base::Cycles(1000);
  ScriptedRuntime runtime({RunFor{&op, recorded}, Delay{base::Cycles(5)}, RunFor{&op, recorded}});
  std::deque<ReplayChip> chips;
  for (int chip = 0; chip < 4096; ++chip) {
    chips.emplace_back(("chip" + std::to_string(chip)).c_str(), machine, chip, runtime);
  }
  sc_core::sc_start();
  for (int chip = 0; chip < 4096; ++chip) EXPECT_EQ(runtime.records(chip, 1).back().end, base::Cycles(2005));
}

}  // namespace
}  // namespace podsim::hw::chip
