// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/bank_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "noc/fresh_context.h"
#include "noc/systemc_time.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw {
namespace {

/// A chip's memory without cores: transfers are started by hand.
struct Bench {
  explicit Bench(const Machine& machine) : memory("memory", machine, {}) {
    for (int core = 0; core < 2; ++core) {
      engines[core].bind(memory.from_dma(core));
      memory.dma(core).on_completion([this, core](std::uint64_t tag) { ended[{core, tag}] = noc::now(); });
    }
  }

  /// A core reads from a half, or writes to it.
  void read(int core, int half, std::uint64_t address, std::int64_t bytes, std::uint64_t tag = 0) {
    memory.dma(core).start({{memory.ports().hbm(half), address, 0}, {{}, 0, 0}, 1, base::Bytes(bytes)}, tag);
  }
  void write(int core, int half, std::uint64_t address, std::int64_t bytes, std::uint64_t tag = 0) {
    memory.dma(core).start({{{}, 0, 0}, {memory.ports().hbm(half), address, 0}, 1, base::Bytes(bytes)}, tag);
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
  BankMemory memory;
  std::array<Engine, 2> engines{Engine("engine0"), Engine("engine1")};
  std::map<std::pair<int, std::uint64_t>, base::Time> ended;
};

Machine without_refresh() {
  base::Config config = machine_file("tpu-v3");
  config.set("hbm.refresh=none");
  return read_machine(config);
}

constexpr std::int64_t mebibyte = 1 << 20;

TEST(BankMemory, an_unloaded_burst_takes_the_switch_the_bank_and_the_switch) {
  const Machine machine = without_refresh();
  Bench bench(machine);
  bench.read(0, 0, 0, 32);
  sc_core::sc_start();
  // Eleven cycles of 940 MHz, the edge of the memory after it, RCD + CL + 2 clocks of 900 MHz, the edge of the switch
  // after it and eleven cycles back.
  const base::Clock core = machine.core_clock(), memory(machine.dram.clock);
  const base::Cycles request = memory.edge_at_or_after(core.time_of(base::Cycles(11)));
  const base::Cycles data = core.edge_at_or_after(memory.time_of(request + base::Cycles(13 + 13 + 2)));
  EXPECT_EQ((bench.ended.at({0, 0})), core.time_of(data + base::Cycles(11)));
}

TEST(BankMemory, a_core_reaches_the_other_half_through_the_switch_as_fast_as_its_own) {
  Bench bench(without_refresh());
  bench.read(0, 1, 4096, 1024, 1);
  sc_core::sc_start();
  EXPECT_EQ(bench.bursts(0), 0);
  EXPECT_EQ(bench.bursts(1), 32);
}

TEST(BankMemory, cores_that_want_one_half_share_it) {
  Bench alone(without_refresh());
  alone.read(0, 1, 0, mebibyte);
  sc_core::sc_start();
  const auto one = double(alone.ended.at({0, 0}).value());
  noc::fresh_context();
  Bench together(without_refresh());
  together.read(0, 1, 0, mebibyte);
  together.read(1, 1, 1 << 30, mebibyte);
  sc_core::sc_start();
  const auto both = double(std::max(together.ended.at({0, 0}), together.ended.at({1, 0})).value());
  const auto first = double(std::min(together.ended.at({0, 0}), together.ended.at({1, 0})).value());
  EXPECT_GT(both, 1.8 * one);
  EXPECT_LT(both, 2.4 * one);     // rows of two streams
  EXPECT_GT(first, 0.85 * both);  // neither is preferred
}

TEST(BankMemory, each_core_at_its_own_half_disturbs_no_other) {
  Bench alone(tpu_v3());
  alone.read(0, 0, 0, mebibyte);
  sc_core::sc_start();
  noc::fresh_context();
  Bench together(tpu_v3());
  together.read(0, 0, 0, mebibyte);
  together.read(1, 1, 0, mebibyte);
  sc_core::sc_start();
  EXPECT_EQ((together.ended.at({0, 0})), (alone.ended.at({0, 0})));
  EXPECT_EQ((together.ended.at({1, 0})), (alone.ended.at({0, 0})));
}

TEST(BankMemory, copies_from_half_to_half) {
  Bench bench(tpu_v3());
  const DmaEnd source{bench.memory.ports().hbm(0), 512, 4096}, destination{bench.memory.ports().hbm(1), 1 << 20, 1024};
  bench.memory.dma(0).start({source, destination, 8, base::Bytes(1024)}, 5);
  sc_core::sc_start();
  EXPECT_TRUE(bench.ended.contains({0, 5}));
  EXPECT_EQ(bench.bursts(0), 8 * 32);
  EXPECT_EQ(bench.bursts(1), 8 * 32);
}

TEST(BankMemory, answers_every_transfer_of_two_cores_to_both_halves) {
  Bench bench(tpu_v3());
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

}  // namespace
}  // namespace podsim::hw
