// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/bank_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/systemc/fresh_context.h"
#include "base/systemc/systemc_time.h"
#include "noc/ici/message_fabric.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::banks {
namespace {

/// A chip's memory without cores: transfers are started by hand.
struct BankMemoryBench {
  explicit BankMemoryBench(const Machine& machine, const std::string& suffix = "")
      : host(("host" + suffix).c_str(), machine.host, machine.cores_per_chip, {}),
        memory(("memory" + suffix).c_str(), machine, host, {}) {
    for (int core = 0; core < 2; ++core) {
      engines.emplace_back(("engine" + std::to_string(core) + suffix).c_str());
      engines.back().bind(memory.from_dma(core));
      memory.dma(core).on_completion([this, core](std::uint64_t tag) { ended[{core, tag}] = base::systemc::now(); });
    }
  }

  /// A core reads from a half, or writes to it.
  void read(int core, int half, std::uint64_t address, std::int64_t bytes, std::uint64_t tag = 0) {
    memory.dma(core).start({{memory.hbm(half), address, 0}, {{}, 0, 0}, 1, base::Bytes(bytes)}, tag);
  }
  void write(int core, int half, std::uint64_t address, std::int64_t bytes, std::uint64_t tag = 0) {
    memory.dma(core).start({{{}, 0, 0}, {memory.hbm(half), address, 0}, 1, base::Bytes(bytes)}, tag);
  }
  std::int64_t bursts(int half) {
    std::int64_t sum = 0;
    for (int channel = 0; channel < memory.half(half).channels(); ++channel) {
      sum += memory.half(half).channel(channel).controller().bursts();
    }
    return sum;
  }

  struct Engine : sc_core::sc_module {
    explicit Engine(sc_core::sc_module_name name) : sc_module(name) {}
    void bind(tlm::tlm_target_socket<>& socket) { to_hbm.bind(socket); }
    tlm_utils::simple_initiator_socket<Engine> to_hbm{"to_hbm"};
  };
  host::HostPort host;
  BankMemory memory;
  std::deque<Engine> engines;
  std::map<std::pair<int, std::uint64_t>, base::Time> ended;
};

constexpr std::int64_t mebibyte = 1 << 20;

TEST(BankMemory, AnUnloadedBurstTakesTheSwitchTheBankAndTheSwitch) {
  const Machine machine = tpu_v3_with({"hbm.refresh=none"});
  BankMemoryBench bench(machine);
  bench.read(0, 0, 0, 32);
  sc_core::sc_start();
  // Eleven cycles of 940 MHz, the edge of the memory after it, RCD + CL + 2 clocks of 900 MHz, the edge of the switch
  // after it and eleven cycles back.
  const base::Clock core = machine.core_clock(), memory(machine.dram.clock);
  const base::Cycles request = memory.edge_at_or_after(core.time_of(base::Cycles(11)));
  const base::Cycles data = core.edge_at_or_after(memory.time_of(request + base::Cycles(13 + 13 + 2)));
  EXPECT_EQ((bench.ended.at({0, 0})), core.time_of(data + base::Cycles(11)));
}

/// Time in which core 0 reads `bytes` from a half.
base::Time time_to_read(const Machine& machine, int half, std::int64_t bytes) {
  base::systemc::FreshContext context;
  BankMemoryBench bench(machine);
  bench.read(0, half, 4096, bytes);
  sc_core::sc_start();
  EXPECT_EQ(bench.bursts(half), bytes / 32);
  EXPECT_EQ(bench.bursts(1 - half), 0);
  return bench.ended.at({0, 0});
}

TEST(BankMemory, ACoreReadsTheOtherHalfThroughTheSwitchAsFastAsItsOwn) {
  for (const std::int64_t bytes : {std::int64_t(32), std::int64_t(1024), mebibyte}) {
    EXPECT_EQ(time_to_read(tpu_v3(), 1, bytes), time_to_read(tpu_v3(), 0, bytes)) << bytes;
  }
}

// A granule of 1 KiB takes a narrow port's 1024 / width cycles. The first arrives after a pass through the switch and
// the bank, of which the request takes 11 cycles, the data ten, and the bank at most its 28 clocks and 31 bursts more.
TEST(BankMemory, ACoreReadsTheOtherHalfAtTheRateOfANarrowSwitch) {
  for (const std::int64_t width : {32, 64, 128}) {
    base::Config config = machine_file("tpu-v3");
    config.set("hbm.refresh=none");
    config.set("switch.bytes_per_cycle=" + std::to_string(width));
    const Machine machine = read_machine(config);
    const std::int64_t cycles = mebibyte / width;
    const base::Time time = time_to_read(machine, 1, mebibyte);
    EXPECT_GE(time, machine.core_clock().time_of(base::Cycles(cycles + 11 + 10 + 28))) << width;
    EXPECT_LE(time, machine.core_clock().time_of(base::Cycles(cycles + 11 + 10 + 28 + 4 * 31))) << width;
  }
}

TEST(BankMemory, CoresThatWantOneHalfShareIt) {
  BankMemoryBench alone(tpu_v3_with({"hbm.refresh=none"}));
  alone.read(0, 1, 0, mebibyte);
  sc_core::sc_start();
  const auto one = double(alone.ended.at({0, 0}).value());
  const base::systemc::FreshContext context;
  BankMemoryBench together(tpu_v3_with({"hbm.refresh=none"}));
  together.read(0, 1, 0, mebibyte);
  together.read(1, 1, 1 << 30, mebibyte);
  sc_core::sc_start();
  const auto both = double(std::max(together.ended.at({0, 0}), together.ended.at({1, 0})).value());
  const auto first = double(std::min(together.ended.at({0, 0}), together.ended.at({1, 0})).value());
  EXPECT_GT(both, 1.8 * one);
  EXPECT_LT(both, 2.4 * one);     // rows of two streams
  EXPECT_GT(first, 0.85 * both);  // neither is preferred
}

TEST(BankMemory, EachCoreAtItsOwnHalfDisturbsNoOther) {
  BankMemoryBench alone(tpu_v3());
  alone.read(0, 0, 0, mebibyte);
  sc_core::sc_start();
  const base::systemc::FreshContext context;
  BankMemoryBench together(tpu_v3());
  together.read(0, 0, 0, mebibyte);
  together.read(1, 1, 0, mebibyte);
  sc_core::sc_start();
  EXPECT_EQ((together.ended.at({0, 0})), (alone.ended.at({0, 0})));
  EXPECT_EQ((together.ended.at({1, 0})), (alone.ended.at({0, 0})));
}

TEST(BankMemory, BothCoresReadTheirHalvesAtTwiceTheRateThatOneGetsOnSilicon) {
  BankMemoryBench bench(tpu_v3());
  for (int core = 0; core < 2; ++core) bench.read(core, core, 0, 8 * mebibyte);
  sc_core::sc_start();
  const base::Time last = std::max(bench.ended.at({0, 0}), bench.ended.at({1, 0}));
  const double rate = double(2 * 8 * mebibyte) / base::to_duration(last).si();
  EXPECT_NEAR(rate, 2 * 411.8e9, 0.02 * 2 * 411.8e9);
}

TEST(BankMemory, CopiesFromHalfToHalf) {
  BankMemoryBench bench(tpu_v3());
  const DmaEnd source{bench.memory.hbm(0), 512, 4096}, destination{bench.memory.hbm(1), 1 << 20, 1024};
  bench.memory.dma(0).start({source, destination, 8, base::Bytes(1024)}, 5);
  sc_core::sc_start();
  EXPECT_TRUE(bench.ended.contains({0, 5}));
  EXPECT_EQ(bench.bursts(0), 8 * 32);
  EXPECT_EQ(bench.bursts(1), 8 * 32);
}

TEST(BankMemory, AnswersEveryTransferOfTwoCoresToBothHalves) {
  BankMemoryBench bench(tpu_v3());
  std::mt19937 random(1);
  for (std::uint64_t tag = 0; tag < 300; ++tag) {
    const int core = int(random() % 2), half = int(random() % 2);
    const std::uint64_t address = random() % (1 << 30);
    const std::int64_t bytes = 1 + std::int64_t(random() % 5000);
    if (random() % 2 == 0) {
      bench.read(core, half, address, bytes, tag);
    } else {
      bench.write(core, half, address, bytes, tag);
    }
  }
  sc_core::sc_start();
  EXPECT_EQ(bench.ended.size(), 300u);
}

TEST(BankMemory, WritesToTheOtherCoreAndRaisesItsFlagWhenAllDataAreThere) {
  BankMemoryBench bench(tpu_v3());
  base::Bytes there;
  std::vector<std::size_t> raised;
  bench.memory.core_port(1).on_flag([&](std::size_t flag) {
    raised.push_back(flag);
    there = bench.memory.core_port(1).served();
  });
  DmaCopy transfer{{{}, 0, 0}, {bench.memory.core(1), 0, 0}, 1, base::Bytes(50'000)};
  transfer.flag = RemoteFlag{bench.memory.core(1), 17};
  bench.memory.dma(0).start(transfer, 1);
  sc_core::sc_start();
  EXPECT_EQ(raised, std::vector<std::size_t>{17});
  EXPECT_EQ(there, base::Bytes(50'000));
  // 49 granules, of which 48 take two cycles of the port and the last, of 848 bytes, two as well; ten to cross; then
  // the flag, when the last of them is acknowledged, and its own acknowledgement: a packet of one cycle there and back.
  const base::Cycles expected(49 * 2 + 10 + 11 + 11 + 11);
  EXPECT_EQ((bench.ended.at({0, 1})), tpu_v3().core_clock().time_of(expected));
}

TEST(BankMemory, MovesDataOfTheHostsMemoryAtTheRateOfPcie) {
  BankMemoryBench bench(tpu_v3());
  const std::int64_t bytes = 1 << 18;
  bench.memory.dma(0).start({{bench.memory.host(), 0, 0}, {bench.memory.hbm(0), 0, 0}, 1, base::Bytes(bytes)}, 1);
  sc_core::sc_start();
  const double time = base::to_duration(bench.ended.at({0, 1})).si();
  EXPECT_GT(time, double(bytes) / 16e9 + 1e-6);
  EXPECT_LT(time, double(bytes) / 16e9 + 1.3e-6);  // plus the time of switch and banks for the last granule
}

TEST(BankMemory, SharesPcieWithTheInfeed) {
  BankMemoryBench bench(tpu_v3());
  const std::int64_t bytes = 1 << 18;
  bench.host.prepare(0, {base::Bytes(1'600'000)});  // two batches of 100 us
  bench.memory.dma(0).start({{bench.memory.host(), 0, 0}, {{}, 0, 0}, 1, base::Bytes(bytes)}, 1);
  sc_core::sc_start();
  const double both = 3'200'000 / 16e9 + double(bytes) / 16e9;
  EXPECT_NEAR(base::to_duration(base::systemc::now()).si(), both, 2e-6);
}

/// Two chips side by side.
struct Pair {
  Pair() : fabric("fabric", noc::FoldedTopology(noc::Topology({1, 2}, {false, false})), machine.ici) {
    for (noc::NodeId chip = 0; chip < 2; ++chip) {
      ports.emplace_back(("ici" + std::to_string(chip)).c_str(), chip).bind(fabric);
      benches.emplace_back(machine, "_" + std::to_string(chip)).memory.connect(ports.back());
    }
  }
  const Machine machine = tpu_v3();
  noc::ici::MessageFabric fabric;
  std::deque<noc::ici::IciPort> ports;
  std::deque<BankMemoryBench> benches;
};

TEST(BankMemory, ReadsAndWritesTheMemoryOfAnotherChipOverItsLink) {
  Pair pair;
  BankMemoryBench &here = pair.benches[0], &there = pair.benches[1];
  const DmaPort far = here.memory.hbm(1, {0, 1});
  const std::int64_t bytes = 1 << 18;
  here.memory.dma(0).start({{{}, 0, 0}, {far, 0, 0}, 1, base::Bytes(bytes)}, 1);
  sc_core::sc_start();
  EXPECT_EQ(there.bursts(1), bytes / 32);
  EXPECT_EQ(here.bursts(0) + here.bursts(1) + there.bursts(0), 0);
  // The link moves 70.03 GB/s and a hop takes 300 ns in each direction; switches and banks well under a microsecond.
  const double occupied = double(bytes) / pair.machine.ici.payload_rate().si();
  const double write = base::to_duration(here.ended.at({0, 1})).si();
  EXPECT_GT(write, occupied + 600e-9);
  EXPECT_LT(write, occupied + 1.2e-6);

  const base::Time begin = base::systemc::now();
  here.memory.dma(0).start({{far, 0, 0}, {{}, 0, 0}, 1, base::Bytes(bytes)}, 2);
  sc_core::sc_start();
  const double read = base::to_duration(here.ended.at({0, 2}) - begin).si();
  EXPECT_GT(read, occupied + 600e-9);
  // 128 granules outstanding are 1.9 us of the link, longer than the round trip.
  EXPECT_LT(read, occupied + 1.2e-6);
}

TEST(BankMemory, RaisesAFlagOfACoreOnAnotherChip) {
  Pair pair;
  BankMemoryBench &here = pair.benches[1], &there = pair.benches[0];
  std::vector<std::size_t> raised;
  there.memory.core_port(1).on_flag([&](std::size_t flag) { raised.push_back(flag); });
  DmaCopy transfer{{here.memory.hbm(0), 0, 0}, {here.memory.core(1, {0, -1}), 0, 0}, 1, base::Bytes(3000)};
  transfer.flag = RemoteFlag{here.memory.core(1, {0, -1}), 200};
  here.memory.dma(0).start(transfer, 1);
  sc_core::sc_start();
  EXPECT_EQ(raised, std::vector<std::size_t>{200});
  EXPECT_EQ(there.memory.core_port(1).served(), base::Bytes(3000));
  EXPECT_TRUE(here.ended.contains({0, 1}));
}

}  // namespace
}  // namespace podsim::hw::memory::banks
