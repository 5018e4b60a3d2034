// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/chip.h"

#include <gtest/gtest.h>

#include <chrono>

#include "hw/chip/replay_chip.h"
#include "hw/chip/tile_chip.h"
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
    void message_taken(noc::NodeId, const noc::ici::Message&) override {}
    void message_received(noc::NodeId node, const noc::ici::Message& message) override {
      receiver = node;
      bytes = message.bytes;
    }
    noc::NodeId receiver = -1;
    base::Bytes bytes;
  };
  const Machine machine = tpu_v3();
  ScriptedRuntime runtime({});
  noc::ici::MessageFabric fabric("fabric", noc::FoldedTopology(noc::Topology({2}, {false})), machine.ici);
  TileChip first("first", machine, 0, runtime);
  ReplayChip second("second", machine, 1, runtime);
  Client client;
  EXPECT_EQ(first.ici(), nullptr);
  first.connect(fabric, 0).attach(1, client);
  second.connect(fabric, 1).attach(1, client);
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
