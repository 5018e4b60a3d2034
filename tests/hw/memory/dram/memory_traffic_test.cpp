// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/memory_traffic.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::dram {
namespace {

parts::hbm::DramParameters hbm2(std::initializer_list<const char*> settings = {}) {
  base::Config config = machine_file("tpu-v3");
  for (const char* setting : settings) config.set(setting);
  return read_machine(config).dram;
}

MemoryTrafficResult run(const parts::hbm::DramParameters& parameters, const std::vector<MemoryStream>& streams,
                        std::int64_t outstanding = 128) {
  return run_memory_traffic(parameters, streams, outstanding);
}

TEST(MemoryTraffic, OneBurstTakesTheLatencyOfAnUnloadedRead) {
  const parts::hbm::DramParameters parameters = hbm2({"hbm.refresh=none"});
  const auto result = run(parameters, {MemoryStream::sequential(Direction::read, 0, base::Bytes(32))});
  const parts::hbm::DramTiming& timing = parameters.timing;
  const base::Cycles unloaded = timing.rcd_read + timing.cl + parameters.organization.burst_clocks;
  EXPECT_EQ(result.clocks, unloaded);
  EXPECT_EQ(result.latencies, std::vector<base::Cycles>{unloaded});
  EXPECT_EQ(result.bursts, 1);
  EXPECT_EQ(result.activates, 1);
}

// With a granule at a time, every one waits for the one before: Little's law with one customer.
TEST(MemoryTraffic, OneGranuleOutstandingIsAsSlowAsItsLatenciesTogether) {
  const parts::hbm::DramParameters parameters = hbm2({"hbm.refresh=none"});
  const auto result =
      run(parameters, {MemoryStream::scattered(Direction::read, 0, base::Bytes(32), 200, base::Bytes(1 << 28), 3)}, 1);
  base::Cycles sum;
  for (base::Cycles latency : result.latencies) sum += latency;
  EXPECT_EQ(result.latencies.size(), 200U);
  EXPECT_EQ(result.clocks, sum);
}

TEST(MemoryTraffic, StreamsOfEqualLengthEndTogether) {
  const parts::hbm::DramParameters parameters = hbm2();
  std::vector<MemoryStream> streams;
  for (int i = 0; i < 4; ++i) {
    streams.push_back(MemoryStream::sequential(i % 2 == 0 ? Direction::read : Direction::write, std::uint64_t(i) << 28,
                                               base::Bytes(1 << 18)));
  }
  const auto alone = run(parameters, {streams[0]});
  const auto together = run(parameters, streams);
  EXPECT_GT(together.clocks, 3 * alone.clocks);  // neither in sequence nor concurrent for free
  EXPECT_EQ(together.bytes[0], base::Bytes(2 << 18));
  EXPECT_EQ(together.bytes[1], base::Bytes(2 << 18));
}

MemoryStream megabytes(Direction direction, std::uint64_t base, std::int64_t count) {
  return MemoryStream::sequential(direction, base, base::Bytes(count << 20));
}

/// Rate of reads and writes of these sizes in MiB, the mean over several start addresses of the two streams.
double gigabytes_per_second(std::int64_t reads, std::int64_t writes) {
  const Machine machine = tpu_v3();
  double sum = 0;
  const std::vector<std::uint64_t> places{0x1'2345'6000, 0x0'8a61'5000, 0x2'0f3d'b000};
  for (std::uint64_t place : places) {
    const auto result = run_memory_traffic(
        machine.dram, std::vector{megabytes(Direction::read, 0, reads), megabytes(Direction::write, place, writes)},
        machine.dma.granules);
    sum += double(result.moved().value()) / (double(result.clocks.value()) / machine.dram.clock.si());
  }
  return sum / double(places.size()) * 1e-9;
}

// Loop fusions of MLPerf v0.7 profiles on TPU v3: 411.8 GB/s if they only read, 364 with two bytes read for each one
// written, 343 with as many read as written.
TEST(MemoryTraffic, StreamsSustainWhatTheyDoOnSilicon) {
  EXPECT_NEAR(gigabytes_per_second(16, 0), 411.8, 0.02 * 411.8);
  EXPECT_NEAR(gigabytes_per_second(8, 4), 364, 0.04 * 364);
  EXPECT_NEAR(gigabytes_per_second(6, 6), 343, 0.04 * 343);
}

// Queues of 48 and 32 bursts, both full: a request waits for the batch before its own, and for a refresh of 315 clocks.
TEST(MemoryTraffic, NeitherDirectionWaitsForMoreThanABatchOfTheOther) {
  const parts::hbm::DramParameters parameters = tpu_v3().dram;
  const auto result = run(parameters, {megabytes(Direction::read, 0, 4), megabytes(Direction::write, 1 << 30, 4)});
  const std::int64_t batch = (48 + 32) * parameters.organization.burst_clocks.value();
  EXPECT_LE(result.latencies.back().value(), 3 * batch + 2 * 315);
}

RC_GTEST_PROP(MemoryTraffic, EveryByteMovesAndEveryClockHasAShare, ()) {
  const parts::hbm::DramParameters parameters = hbm2();
  std::vector<MemoryStream> streams;
  std::array<base::Bytes, 2> expected;
  std::int64_t min_bursts = 0;
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
    const Direction direction = *rc::gen::arbitrary<bool>() ? Direction::read : Direction::write;
    const base::Bytes row(32 * *rc::gen::inRange<std::int64_t>(1, 80));
    const auto rows = *rc::gen::inRange<std::int64_t>(1, 200);
    const std::uint64_t base = std::uint64_t(i) << 29;
    streams.push_back(*rc::gen::arbitrary<bool>()
                          ? MemoryStream::strided(direction, base, row, rows, row.value() + 32 * i)
                          : MemoryStream::scattered(direction, base, row, rows, base::Bytes(1 << 26), 9));
    expected[std::size_t(direction)] += streams.back().bytes();
    min_bursts += streams.back().bytes().value() / 32;
  }
  const auto result = run(parameters, streams, *rc::gen::inRange<std::int64_t>(1, 200));
  RC_ASSERT(result.bytes == expected);
  RC_ASSERT(result.bursts == min_bursts);
  const std::int64_t buses = parameters.organization.channels * parameters.organization.pseudo_channels;
  RC_ASSERT(result.shares.total() == buses * result.clocks);
  RC_ASSERT((result.shares.of(BusShare::read) + result.shares.of(BusShare::write)).value() == 2 * result.bursts);
  RC_ASSERT(result.latencies.back() <= result.clocks);
}

}  // namespace
}  // namespace podsim::hw::memory::dram
