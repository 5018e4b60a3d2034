// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/granule_transfers.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/systemc/fresh_context.h"
#include "base/systemc/systemc_time.h"
#include "hw/chip/joint_moves.h"
#include "hw/chip/tile_chip.h"
#include "tests/hw/scripted_runtime.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::chip {
namespace {

using base::Bytes;
using base::Time;
using memory::banks::BankMemory;

/// A chip with banks whose cores run a script.
struct BankChip {
  explicit BankChip(const std::vector<Command>& script = {})
      : machine(tpu_v3()), runtime(script), chip("chip", machine, 0, runtime, {}, memory::MemoryDetail::bank) {}

  MoveEnd move(const CoreMemory& from, const CoreMemory& to, Bytes bytes) {
    return chip.transfers->move(base::systemc::now(), {from, to, bytes});
  }
  const BankMemory& memory() const { return dynamic_cast<const BankMemory&>(chip.memory()); }
  Bytes into(int port) const { return memory().chip_switch().output_bytes(port); }
  Bytes out_of(int port) const { return memory().chip_switch().input_bytes(port); }

  Machine machine;
  ScriptedRuntime runtime;
  TileChip chip;
};

double in_seconds(Time time) { return double(time.value()) * 1e-12; }

TEST(GranuleTransfers, EndAsEventsAndHaveNoOtherSwitchBeside) {
  BankChip bench;
  EXPECT_FALSE(bench.chip.transfers->ends_known());
  EXPECT_EQ(sc_core::sc_find_object("chip.switch"), nullptr);
  EXPECT_NE(sc_core::sc_find_object("chip.memory.switch"), nullptr);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(bench.move(hbm_of(0), vmem_of(0), Bytes(0)).running, nullptr);
  EXPECT_NE(bench.move(hbm_of(0), vmem_of(0), Bytes(1)).running, nullptr);
}

// A read crosses the switch from the half to the core, a write from the core to the half, with each of its bytes once;
// between two cores there is one crossing too.
TEST(GranuleTransfers, CrossTheSwitchWithEveryByteOnce) {
  struct Way {
    CoreMemory from, to;
    int in, out;  // ports
  };
  const std::vector<Way> ways = {{hbm_of(0), vmem_of(0), 2, 0},  {hbm_of(1), vmem_of(0), 3, 0},
                                 {vmem_of(1), hbm_of(1), 1, 3},  {vmem_of(1), hbm_of(0), 1, 2},
                                 {vmem_of(0), vmem_of(1), 0, 1}, {vmem_of(1), vmem_of(1), 1, 1}};
  BankChip bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (const Way& way : ways) {
    const Bytes bytes(100'001), into = bench.into(way.out), out_of = bench.out_of(way.in);
    bool ended = false;
    bench.move(way.from, way.to, bytes).running->on_end([&] { ended = true; });
    sc_core::sc_start();
    EXPECT_TRUE(ended);
    EXPECT_EQ(bench.into(way.out) - into, bytes);
    EXPECT_EQ(bench.out_of(way.in) - out_of, bytes);
  }
}

// A half reads at the rate that its streams sustain, so that two reads of two halves take as long as one. Two reads of
// one half, by its own core and by the other, take at least twice as long, and at most an eighth more, for the rows
// that they close on each other.
TEST(GranuleTransfers, ShareAHalfAndNotTwoOfThem) {
  constexpr std::int64_t bytes = 4 << 20;
  BankChip bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto time_of = [&](int first_half, int second_half) {
    const Time begin = base::systemc::now();
    Time end;
    JointMoves both(begin);
    both.add(bench.move(hbm_of(first_half), vmem_of(0), Bytes(bytes)));
    both.add(bench.move(hbm_of(second_half), vmem_of(1), Bytes(bytes)));
    EXPECT_FALSE(both.known());
    both.then([&](Time when) { end = when; });
    sc_core::sc_start();
    EXPECT_EQ(end, base::systemc::now());
    return in_seconds(end - begin);
  };
  const double one = (base::DataSize(double(bytes)) / bench.machine.hbm.stream_rate).si();
  EXPECT_NEAR(time_of(0, 1), one, 0.06 * one);
  const double shared = time_of(0, 0);
  EXPECT_GE(shared, 2 * one);
  EXPECT_LE(shared, 2 * one * 1.125);
}

TEST(JointMoves, EndWithTheLastOfKnownEnds) {
  JointMoves moves(Time(5));
  moves.add({Time(9)});
  moves.add({Time(7)});
  Time end;
  moves.then([&](Time when) { end = when; });
  EXPECT_EQ(end, Time(9));
  EXPECT_TRUE(moves.known());
}

// A known end that is later than the event counts too.
TEST(JointMoves, EndWithAnEventOrALaterKnownEnd) {
  BankChip bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto end_of = [&](Time known) {
    Time end;
    JointMoves moves(known);
    moves.add(bench.move(hbm_of(0), vmem_of(0), Bytes(1 << 20)));
    moves.then([&](Time when) { end = when; });
    sc_core::sc_start();
    return end;
  };
  const Time event = end_of(Time(0));
  EXPECT_EQ(event, base::systemc::now());
  EXPECT_EQ(end_of(event * 10), event * 10);
}

/// Runs a script that begins with an infeed on a chip and returns how long that took on core 0.
double infeed_seconds(TileChip& chip, const ScriptedRuntime& runtime, Bytes bytes) {
  for (const int core : {0, 1}) chip.host().prepare(core, {bytes});
  sc_core::sc_start(1, sc_core::SC_MS);
  return in_seconds(runtime.records().front().end_time);
}

// The data that the link has carried are in the banks, and the copy of each core reads and writes every byte. The link
// takes 20 times as long for a byte as the banks, so that an infeed takes as long as over streams, and the latency of a
// piece.
TEST(GranuleTransfers, AnInfeedIsWrittenToTheBanks) {
  constexpr Bytes bytes(300'000);
  BankChip bench({Infeed{bytes, 1}});
  const double banks = infeed_seconds(bench.chip, bench.runtime, bytes);
  const Bytes came = bench.chip.host().transferred();
  EXPECT_GE(came, bytes * 2);
  EXPECT_EQ(bench.out_of(bench.memory().ports().host()), came);
  EXPECT_EQ(bench.into(2) + bench.into(3), came + bytes * 2);
  EXPECT_EQ(bench.into(0) + bench.into(1), bytes * 2);
  const base::systemc::FreshContext context;
  ScriptedRuntime runtime({Infeed{bytes, 1}});
  TileChip streams("chip", bench.machine, 0, runtime);
  EXPECT_NEAR(banks, infeed_seconds(streams, runtime, bytes), 1e-6);
}

TEST(GranuleTransfers, AnOutfeedIsReadFromTheBanks) {
  constexpr Bytes bytes(200'000);
  BankChip bench({Outfeed{bytes, 1}});
  sc_core::sc_start(1, sc_core::SC_MS);
  const int host = bench.memory().ports().host();
  EXPECT_EQ(bench.chip.host().received(0) + bench.chip.host().received(1), 2 * bytes);
  EXPECT_EQ(bench.into(host), 2 * bytes);
  EXPECT_EQ(bench.into(2) + bench.into(3), 2 * bytes);  // copies
}

}  // namespace
}  // namespace podsim::hw::chip
