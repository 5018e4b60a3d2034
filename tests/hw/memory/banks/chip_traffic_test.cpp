// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/chip_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/diagnostic.h"
#include "hw/memory/dram/memory_traffic.h"
#include "hw/timing/hbm_stream.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::banks {
namespace {

constexpr std::int64_t mib = 1 << 20;

ChipTraffic reads_at(TrafficEnd end, std::int64_t bytes) {
  ChipTraffic traffic{end, {}};
  traffic.pattern.bytes = base::Bytes(bytes);
  return traffic;
}

ChipTrafficResult traffic_result(const Machine& machine, const ChipTraffic& traffic) {
  return run_chip_traffic(machine, traffic);
}

double traffic_seconds(base::Time time) { return base::to_duration(time).si(); }
double rate_of(const ChipTrafficResult& result) {
  return double(result.moved().value()) / traffic_seconds(result.time);
}

// One core streams 411.8 GB/s on silicon (MLPerf v0.7 profiles).
TEST(ChipTraffic, BothCoresReadTheirOwnHalvesAtTwiceTheRateThatOneGetsOnSilicon) {
  EXPECT_NEAR(rate_of(traffic_result(tpu_v3(), reads_at(TrafficEnd::own, 8 * mib))), 2 * 411.8e9, 0.02 * 2 * 411.8e9);
}

// The switch joins every core to every half by ports of the same width.
TEST(ChipTraffic, TheOtherHalvesAreAsFarAsTheOwn) {
  EXPECT_EQ(traffic_result(tpu_v3(), reads_at(TrafficEnd::other, mib)).time,
            traffic_result(tpu_v3(), reads_at(TrafficEnd::own, mib)).time);
}

TEST(ChipTraffic, CoresThatReadOneHalfGetNoMoreThanOneCore) {
  const ChipTrafficResult one = traffic_result(tpu_v3(), reads_at(TrafficEnd::one, mib));
  const double alone = double(mib) / traffic_seconds(traffic_result(tpu_v3(), reads_at(TrafficEnd::own, mib)).time);
  EXPECT_LE(rate_of(one), 1.02 * alone);
  EXPECT_GE(rate_of(one), 0.8 * alone);  // less for rows of two streams
}

// The streams of ops have the limit of the parts. With twice the channels the banks give 824 GB/s and a port 481.
TEST(ChipTraffic, AStreamMovesWhatThePartsPass) {
  for (const std::int64_t width : {64, 256, 512}) {
    const Machine machine = tpu_v3_with({"hbm.channels=32", "hbm.stream_rate=824.4 GB/s", "hbm.refresh=none",
                                         "switch.bytes_per_cycle=" + std::to_string(width)});
    timing::HbmStream stream(machine);
    stream.submit(Direction::read, base::Bytes(8 * mib), base::Cycles(0), 0);
    const double alone = (*stream.next_completion() / machine.clock).si();
    EXPECT_NEAR(double(16 * mib) / rate_of(traffic_result(machine, reads_at(TrafficEnd::own, 8 * mib))) / alone, 1,
                0.03)
        << width;
  }
}

// Below the rate of the banks a port moves its width in every cycle, and a granule of 1 KiB takes 1024 / width of them.
TEST(ChipTraffic, ANarrowSwitchIsTheLimitAtItsWidth) {
  for (const std::int64_t width : {8, 64, 256}) {
    const Machine machine = tpu_v3_with({"hbm.refresh=none", "switch.bytes_per_cycle=" + std::to_string(width)});
    for (const TrafficEnd end : {TrafficEnd::own, TrafficEnd::other}) {
      const ChipTrafficResult result = traffic_result(machine, reads_at(end, mib));
      const double port = double(width) * machine.clock.si();
      EXPECT_LE(rate_of(result), 2 * port) << width;
      EXPECT_GE(rate_of(result), 0.97 * 2 * port) << width;  // the first granule's round trip
      for (const ChipTrafficResult::Port& used : result.ports) {
        if (!used.name.starts_with("core")) continue;
        EXPECT_NEAR(used.out, rate_of(result) / 2 / port, 1e-6) << used.name;
      }
    }
  }
}

// Reads do not wait behind writes for which a channel has no room, so that the switch costs mixed traffic no bandwidth.
TEST(ChipTraffic, ReadsBesideWritesAreAsFastThroughTheSwitchAsAtTheBanks) {
  const Machine machine = tpu_v3_with({"dma.outstanding_granules=256"});  // enough for the round trip
  ChipTraffic traffic = reads_at(TrafficEnd::own, 2 * mib);
  traffic.pattern.kind = dram::MemoryPattern::Kind::mixed;
  const HalfTraffic half = halves_of(machine, traffic).front();
  const base::Cycles clocks = dram::run_memory_traffic(machine.dram, half, machine.dma.granules).clocks;
  const double banks = double(clocks.value()) / machine.dram.clock.si();
  EXPECT_NEAR(traffic_seconds(traffic_result(machine, traffic).time), banks, 0.03 * banks);
}

// At most dma.outstanding_granules of 1 KiB are outstanding, so that a core moves them once in a round trip (Little's
// law).
TEST(ChipTraffic, ALongCrossingLimitsACoreToItsOutstandingGranules) {
  const Machine machine = tpu_v3_with({"hbm.refresh=none", "switch.crossing_latency_cycles=2000"});
  const ChipTrafficResult result = traffic_result(machine, reads_at(TrafficEnd::own, 4 * mib));
  const double round_trip = 2 * 2000 / machine.clock.si();
  const double most = double(machine.dma.granules) * 1024 / round_trip;
  EXPECT_LE(rate_of(result) / 2, most);
  EXPECT_GE(rate_of(result) / 2, 0.9 * most);
  EXPECT_GE(double(result.latencies.front().value()), 2 * 2000);
}

// PCIe moves 16 GB/s for both cores together and has a latency of its own.
TEST(ChipTraffic, TheHostsMemoryIsAsFastAsPcie) {
  const Machine machine = tpu_v3();
  const ChipTrafficResult result = traffic_result(machine, reads_at(TrafficEnd::host, mib));
  EXPECT_LE(rate_of(result), machine.host.pcie_rate.si());
  EXPECT_GE(rate_of(result), 0.97 * machine.host.pcie_rate.si());
  EXPECT_EQ(result.bursts, 0);
}

// One link joins the chips: both cores share it, and every byte is read from the neighbour's banks, 32 in a burst.
TEST(ChipTraffic, TheNeighboursMemoryIsAsFastAsALink) {
  const Machine machine = tpu_v3();
  ChipTraffic traffic = reads_at(TrafficEnd::neighbour, mib);
  for (const Direction direction : {Direction::read, Direction::write}) {
    traffic.pattern.direction = direction;
    const ChipTrafficResult result = traffic_result(machine, traffic);
    EXPECT_LE(rate_of(result), machine.ici.payload_rate().si());
    EXPECT_GE(rate_of(result), 0.95 * machine.ici.payload_rate().si());
    EXPECT_EQ(result.bursts, 2 * mib / 32);
  }
}

TEST(ChipTraffic, MovesEveryByteOnceAndTimesEveryGranule) {
  for (const auto kind : {dram::MemoryPattern::Kind::sequential, dram::MemoryPattern::Kind::strided,
                          dram::MemoryPattern::Kind::random, dram::MemoryPattern::Kind::mixed}) {
    for (const TrafficEnd end : {TrafficEnd::own, TrafficEnd::other, TrafficEnd::one}) {
      ChipTraffic traffic = reads_at(end, 256 << 10);
      traffic.pattern.kind = kind;
      traffic.pattern.streams = 3;
      traffic.pattern.row = base::Bytes(256);
      const ChipTrafficResult result = traffic_result(tpu_v3(), traffic);
      base::Bytes wanted;
      for (const HalfTraffic& half : halves_of(tpu_v3(), traffic)) {
        for (const dram::MemoryStream& stream : half) wanted += stream.bytes();
      }
      EXPECT_EQ(result.moved(), wanted) << dram::to_string(kind);
      EXPECT_GE(std::int64_t(result.latencies.size()), wanted.value() / 1024);
      EXPECT_TRUE(std::ranges::is_sorted(result.latencies));
      for (const ChipTrafficResult::Core& core : result.cores) EXPECT_GT(core.end, base::Time(0));
    }
  }
}

// (r + w + 0.4 min(r, w)) / 411.8 GB/s on silicon; a core reads and writes its half alone at either level.
TEST(ChipTraffic, StreamsTakeTheClosedForm) {
  ChipTraffic traffic = reads_at(TrafficEnd::own, 16 * mib);
  const auto beside = [&] { return traffic_seconds(stream_time(tpu_v3(), halves_of(tpu_v3(), traffic))); };
  const double only_reads = 16 * double(mib) / 411.8e9;
  EXPECT_NEAR(beside(), only_reads, 0.01 * only_reads);
  traffic.pattern.kind = dram::MemoryPattern::Kind::mixed;
  EXPECT_NEAR(beside(), 1.2 * only_reads, 0.02 * 1.2 * only_reads);
}

TEST(ChipTraffic, RefusesWhatTheMachineDoesNotHave) {
  const Machine single = tpu_v3_with({"core.cores_per_chip=1"});
  EXPECT_THROW(halves_of(single, reads_at(TrafficEnd::other, 1024)), base::InputError);
  Machine alone = tpu_v3();
  alone.pod.dimensions = {1, 1};
  EXPECT_THROW(halves_of(alone, reads_at(TrafficEnd::neighbour, 1024)), base::InputError);
  const std::int64_t half = tpu_v3().hbm.capacity_per_core.value();
  EXPECT_THROW(halves_of(tpu_v3(), reads_at(TrafficEnd::one, half)), base::InputError);  // the cores divide it
  EXPECT_TRUE(halves_of(alone, reads_at(TrafficEnd::host, 1024)).empty());
}

}  // namespace
}  // namespace podsim::hw::memory::banks
