// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/memory_system.h"

#include <gtest/gtest.h>

#include "tests/hw/memory/dram_parameters.h"
#include "tests/hw/memory/granule_streams.h"

namespace podsim::hw::memory::dram {
namespace {

base::Cycles time_of_one(Direction direction, base::Bytes bytes) {
  MemorySystem memory(dram_with({}));
  std::vector<MemoryCompletion> completed;
  memory.submit({direction, 4096, bytes, 7});
  while (completed.empty()) memory.advance(*memory.next_event(), completed);
  EXPECT_EQ(completed.front().tag, 7u);
  EXPECT_TRUE(memory.idle());
  return completed.front().clock;
}

TEST(MemorySystem, AnUnloadedReadTakesActivateLatencyAndBurst) {
  // tRCD 13, CL 13, two clocks of data
  EXPECT_EQ(time_of_one(Direction::read, base::Bytes(32)), base::Cycles(13 + 13 + 2));
  // tRCD 11, CWL 5, two clocks of data
  EXPECT_EQ(time_of_one(Direction::write, base::Bytes(32)), base::Cycles(11 + 5 + 2));
}

constexpr double silicon_read_stream = 411.8e9;  // best loop fusion of MLPerf v0.7 profiles of TPU v3

// Over several start addresses of the streams and delays back to the sender.
double mean_rate(const parts::hbm::DramParameters& parameters, int reads, int writes) {
  constexpr int places = 4, granules = 7000;
  double sum = 0;
  for (unsigned seed = 1; seed <= places; ++seed) {
    const base::Cycles way_back(seed % 2 == 0 ? 25 : 100);
    sum += run_streams(parameters, {reads, writes, 128, way_back, seed}, granules).rate.si();
  }
  return sum / places;
}

TEST(MemorySystem, AStreamOfReadsGetsWhatSiliconMeasures) {
  const parts::hbm::DramParameters parameters = dram_with({});
  EXPECT_NEAR(mean_rate(parameters, 1, 0), silicon_read_stream, 0.02 * silicon_read_stream);
  // For any delay in the rest of the chip, and from several start addresses.
  for (const std::int64_t way_back : {0, 170}) {
    const double rate = run_streams(parameters, {.way_back = base::Cycles(way_back)}, 7000).rate.si();
    EXPECT_NEAR(rate, silicon_read_stream, 0.02 * silicon_read_stream) << way_back;
  }
  EXPECT_NEAR(mean_rate(parameters, 3, 0), silicon_read_stream, 0.02 * silicon_read_stream);
}

// time = (r + w + 0.4 min(r, w)) / stream rate fits the loop fusions of the profiles.
TEST(MemorySystem, ReadsAndWritesTogetherGetWhatSiliconMeasures) {
  const parts::hbm::DramParameters parameters = dram_with({});
  const double two_to_one = silicon_read_stream / (1 + 0.4 / 3), one_to_one = silicon_read_stream / (1 + 0.4 / 2);
  EXPECT_NEAR(mean_rate(parameters, 2, 1), two_to_one, 0.04 * two_to_one);
  EXPECT_NEAR(mean_rate(parameters, 1, 1), one_to_one, 0.04 * one_to_one);
}

// All banks refresh for rfc_all of every refi clocks; the remaining loss is rows that open late.
TEST(MemorySystem, AStreamOfReadsGetsWhatRefreshLeavesOfThePinsOfEitherStandard) {
  for (const DramStandard& standard : {hbm2, hbm3}) {
    const parts::hbm::DramParameters parameters = standard.with();
    const double away = double(parameters.timing.rfc_all.value()) / double(parameters.timing.refi.value());
    const double left = parameters.pin_rate().si() * (1 - away);
    const double rate = run_streams(parameters, {.way_back = base::Cycles(0)}, 12000).rate.si();
    EXPECT_LE(rate, left) << standard.name;
    EXPECT_GE(rate, 0.97 * left) << standard.name;
  }
}

TEST(MemorySystem, StreamsOfTheTileLevelHaveTheRateOfTheBanksOfHbm3) {
  const Machine machine = tpu_v3_hbm3();
  EXPECT_NEAR(mean_rate(machine.dram, 1, 0), machine.hbm.stream_rate.si(), 0.02 * machine.hbm.stream_rate.si());
}

TEST(MemorySystem, SharesSayWhereThePinRateOfAReadStreamWent) {
  const StreamResult result = run_streams(dram_with({}), {}, 10000);
  const BusShares& shares = result.shares;
  const auto share = [&](BusShare part) { return double(shares.of(part).value()) / double(shares.total().value()); };
  EXPECT_EQ(shares.total(), result.end * 32);
  EXPECT_EQ(shares.of(BusShare::read), base::Cycles(10000 * 32 * 2));
  EXPECT_EQ(shares.of(BusShare::write), base::Cycles(0));
  EXPECT_EQ(shares.of(BusShare::turnaround), base::Cycles(0));
  EXPECT_GT(share(BusShare::refresh), 315.0 / 3510 * 0.9);
  EXPECT_LT(share(BusShare::refresh), 315.0 / 3510 * 1.15);
  EXPECT_GT(share(BusShare::read) + share(BusShare::refresh), 0.97);
}

// A pair of turnarounds costs 22 clocks or a little more, as the last write's bank group counts, and a drain moves 42
// bursts or, when rows of both directions collide, somewhat fewer.
TEST(MemorySystem, SharesSayWhatTurningThePinsAroundCostsAMixedStream) {
  const StreamResult result = run_streams(dram_with({}), {.reads = 1, .writes = 1}, 10000);
  const BusShares& shares = result.shares;
  EXPECT_EQ(shares.total(), result.end * 32);
  const double clocks_per_burst =
      double(shares.of(BusShare::turnaround).value()) * 2 / double(shares.of(BusShare::write).value());
  EXPECT_GT(clocks_per_burst, 22.0 / 42);
  EXPECT_LT(clocks_per_burst, 24.0 / 36);
}

TEST(MemorySystem, WithoutRefreshAndTurnaroundsNearlyAllClocksMoveReadData) {
  const double rate = run_streams(dram_with({"hbm.refresh=none"}), {.way_back = base::Cycles(0)}, 10000).rate.si();
  EXPECT_GT(rate, 0.99 * 460.8e9);
  EXPECT_LE(rate, 460.8e9);
}

}  // namespace
}  // namespace podsim::hw::memory::dram
