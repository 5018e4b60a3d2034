// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/bank_dma.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "base/systemc/fresh_context.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::banks {
namespace {

/// A memory at a port of the switch that answers after `latency` and up to `jitter` more, so in any order, and records
/// its requests.
class SlowMemory : public sc_core::sc_module {
 public:
  struct Access {
    base::Time begin, end;
    bool read = false;
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
  };

  SC_HAS_PROCESS(SlowMemory);
  SlowMemory(sc_core::sc_module_name name, noc::chip_switch::OnChipSwitch& chip_switch, int port,
             std::int64_t latency_ns, std::int64_t jitter_ns)
      : sc_module(name), latency_(latency_ns * 1000), jitter_(jitter_ns * 1000 + 1), random_(std::uint32_t(port) + 1) {
    from_switch.register_nb_transport_fw(this, &SlowMemory::receive);
    chip_switch.out(port).bind(from_switch);
    SC_METHOD(answer);
    sensitive << wake_;
    dont_initialize();
  }

  tlm_utils::passthrough_target_socket<SlowMemory> from_switch{"from_switch"};

  std::vector<Access> accesses;  ///< answered
  std::int64_t outstanding = 0, max_outstanding = 0;

 private:
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::END_RESP) {
      answering_ = false;
      wake_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_COMPLETED;
    }
    max_outstanding = std::max(max_outstanding, ++outstanding);
    const base::Time due = base::systemc::now() + base::Time(latency_ + std::int64_t(random_()) % jitter_);
    waiting_.emplace(due, std::pair(&payload, base::systemc::now()));
    wake_.notify(base::systemc::to_sc_time(due - base::systemc::now()));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void answer() {
    while (!answering_ && !waiting_.empty() && waiting_.begin()->first <= base::systemc::now()) {
      auto [payload, begin] = waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      --outstanding;
      accesses.push_back(
          {begin, base::systemc::now(), payload->is_read(), payload->get_address(), payload->get_data_length()});
      payload->set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      answering_ = from_switch->nb_transport_bw(*payload, phase, delay) == tlm::TLM_ACCEPTED;
    }
    if (!answering_ && !waiting_.empty())
      wake_.notify(base::systemc::to_sc_time(waiting_.begin()->first - base::systemc::now()));
  }

  std::int64_t latency_, jitter_;
  std::mt19937 random_;
  bool answering_ = false;
  std::multimap<base::Time, std::pair<tlm::tlm_generic_payload*, base::Time>> waiting_;
  sc_core::sc_event wake_;
};

/// Takes the role of a DMA engine.
struct Engine : sc_core::sc_module {
  explicit Engine(sc_core::sc_module_name name) : sc_module(name) {
    to_hbm.register_nb_transport_bw(this, &Engine::completed);
  }
  void issue(Direction direction, const AccessPattern& pattern, std::uint64_t tag, std::int64_t delay_ns) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay{double(delay_ns), sc_core::SC_NS};
    to_hbm->nb_transport_fw(pool.make(direction, pattern, tag), phase, delay);
    EXPECT_EQ(phase, tlm::END_REQ);
  }
  tlm::tlm_sync_enum completed(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    EXPECT_TRUE(ended.emplace(stream_extension(payload).tag, base::systemc::now()).second);
    payload.release();
    return tlm::TLM_COMPLETED;
  }
  tlm_utils::simple_initiator_socket<Engine> to_hbm{"to_hbm"};
  StreamPayloadPool pool;
  std::map<std::uint64_t, base::Time> ended;
};

/// An engine, its granule engine at port 0 of a switch and memories at ports 1 and 2.
struct BankDmaBench {
  explicit BankDmaBench(const Machine& machine, std::int64_t latency_ns = 100, std::int64_t jitter_ns = 0)
      : chip_switch("switch", machine.chip_switch, machine.clock, 3),
        own("own", chip_switch, 1, latency_ns, jitter_ns),
        other("other", chip_switch, 2, latency_ns, jitter_ns),
        dma("dma", machine, 1, {}) {
    engine.to_hbm.bind(dma.from_engine);
    dma.to_switch.bind(chip_switch.in(0));
    dma.on_completion([this](std::uint64_t tag) { EXPECT_TRUE(ended.emplace(tag, base::systemc::now()).second); });
  }
  noc::chip_switch::OnChipSwitch chip_switch;
  SlowMemory own, other;
  BankDma dma;
  Engine engine{"engine"};
  std::map<std::uint64_t, base::Time> ended;
};

TEST(BankDma, ATransferEndsWithItsLastGranule) {
  const Machine machine = tpu_v3();
  BankDmaBench bench(machine);
  bench.dma.start({{DmaPort{1}, 0, 0}, {{}, 0, 0}, 1, base::Bytes(4096)}, 7);
  sc_core::sc_start();
  // The fourth request leaves three cycles after the first and takes eleven to the memory; the data of 1 KiB then wait
  // for the next edge and take two cycles and the crossing.
  const base::Clock clock = machine.core_clock();
  const base::Time served = clock.time_of(base::Cycles(3 + 11)) + base::Time(100'000);
  EXPECT_EQ(bench.own.accesses.size(), 4u);
  EXPECT_GE(bench.ended.at(7), served + clock.time_of(base::Cycles(12)));
  EXPECT_LE(bench.ended.at(7), served + clock.time_of(base::Cycles(12 + 4)));  // those before may hold the port
}

TEST(BankDma, AnEnginesDescriptorEndsWhereAnIdleMemoryOfTheAssumedLatencyEndsIt) {
  // The delay of 500 ns is that of a memory without latency; this one takes the time that MemoryPath returns.
  const Machine machine = tpu_v3();
  const MemoryPath path(machine);
  const base::Cycles switches(11 + 12);
  const base::Cycles bank = path.duration(Direction::read) - switches;
  BankDmaBench bench(machine, (machine.core_clock().time_of(bank).value() - 500) / 1000);
  bench.engine.issue(Direction::read, AccessPattern::contiguous(0, base::Bytes(1024)), 1, 500);
  bench.engine.issue(Direction::read, AccessPattern::contiguous(0, base::Bytes(0)), 2, 500);
  sc_core::sc_start();
  const double cycle = 1e12 / machine.clock.si();
  EXPECT_NEAR(double(bench.engine.ended.at(1).value()), 500'000, 3 * cycle);
  EXPECT_NEAR(double(bench.engine.ended.at(2).value()), 500'000, cycle);
}

TEST(BankDma, HasNoMoreGranulesOutstandingThanItMay) {
  for (const std::int64_t limit : {1, 5, 128}) {
    base::systemc::FreshContext context;
    BankDmaBench bench(tpu_v3_with({"dma.outstanding_granules=" + std::to_string(limit)}), 1000);
    bench.dma.start({{DmaPort{1}, 0, 0}, {{}, 0, 0}, 1, base::Bytes(1 << 20)}, 0);
    bench.dma.start({{{}, 0, 0}, {DmaPort{1}, 1 << 20, 0}, 1, base::Bytes(1 << 20)}, 1);
    sc_core::sc_start();
    EXPECT_EQ(bench.own.accesses.size(), 2048u);
    EXPECT_EQ(bench.own.max_outstanding, limit);
  }
}

TEST(BankDma, ReadsAndWritesAlternateWhileBothWait) {
  BankDmaBench bench(tpu_v3_with({"dma.outstanding_granules=1"}));
  bench.dma.start({{DmaPort{1}, 0, 0}, {{}, 0, 0}, 1, base::Bytes(10 * 1024)}, 0);
  bench.dma.start({{{}, 0, 0}, {DmaPort{1}, 0, 0}, 1, base::Bytes(5 * 1024)}, 1);
  sc_core::sc_start();
  for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(bench.own.accesses[i].read, i % 2 == 0 || i >= 10) << i;
}

TEST(BankDma, LaterTransfersMayEndBeforeEarlierOnes) {
  BankDmaBench bench(tpu_v3(), 100, 3000);
  bench.dma.start({{DmaPort{1}, 0, 0}, {{}, 0, 0}, 1, base::Bytes(64 * 1024)}, 0);
  bench.dma.start({{DmaPort{1}, 1 << 20, 0}, {{}, 0, 0}, 1, base::Bytes(32)}, 1);
  sc_core::sc_start();
  EXPECT_LT(bench.ended.at(1), bench.ended.at(0));
}

TEST(BankDma, WritesToAnotherMemoryWhatItHasReadGranuleByGranule) {
  BankDmaBench bench(tpu_v3(), 200, 300);
  bench.dma.start({{DmaPort{1}, 4096, 0}, {DmaPort{2}, 512, 0}, 1, base::Bytes(100 * 1024)}, 3);
  sc_core::sc_start();
  ASSERT_TRUE(bench.ended.contains(3));
  std::map<std::uint64_t, base::Time> read_at;
  for (const SlowMemory::Access& read : bench.own.accesses) {
    EXPECT_TRUE(read.read);
    read_at[read.address - 4096] = read.end;
  }
  EXPECT_EQ(bench.own.accesses.size(), bench.other.accesses.size());
  for (const SlowMemory::Access& write : bench.other.accesses) {
    EXPECT_FALSE(write.read);
    EXPECT_LT(read_at.at(write.address - 512), write.begin);
  }
}

/// Every byte of every transfer is requested once, for any order and latencies.
TEST(BankDma, AsksForEveryByteOfRandomTransfersOnce) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    base::systemc::FreshContext context;
    std::mt19937 random(seed);
    const auto below = [&random](std::uint32_t limit) { return std::int64_t(random() % limit); };
    BankDmaBench bench(tpu_v3_with({"dma.outstanding_granules=" + std::to_string(1 + below(40)),
                                    "switch.queue_packets=" + std::to_string(1 + below(6))}),
                       below(300), below(2000));
    std::map<std::pair<bool, std::uint64_t>, int> expected, asked;  // by direction and byte
    for (std::uint64_t tag = 0; tag < 40; ++tag) {
      const Direction direction = below(2) == 0 ? Direction::read : Direction::write;
      const std::int64_t row = below(900);
      const AccessPattern pattern{tag << 20, below(6), base::Bytes(row), row + below(3) * 100};
      for (std::int64_t r = 0; r < pattern.rows; ++r) {
        for (std::int64_t b = 0; b < row; ++b) {
          ++expected[{direction == Direction::read, pattern.base + std::uint64_t(r * pattern.stride + b)}];
        }
      }
      bench.engine.issue(direction, pattern, tag, below(2000));
    }
    sc_core::sc_start();
    EXPECT_EQ(bench.engine.ended.size(), 40u);
    for (const SlowMemory::Access& access : bench.own.accesses) {
      for (std::int64_t b = 0; b < access.bytes; ++b) ++asked[{access.read, access.address + std::uint64_t(b)}];
    }
    EXPECT_TRUE(asked == expected);
    base::Bytes moved = bench.dma.moved(Direction::read) + bench.dma.moved(Direction::write);
    EXPECT_EQ(std::size_t(moved.value()), expected.size());
  }
}

}  // namespace
}  // namespace podsim::hw::memory::banks
