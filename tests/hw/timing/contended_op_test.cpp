// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/contended_op.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/hw/test_machine.h"

namespace podsim::hw::timing {
namespace {

using base::Bytes;
using base::Cycles;
using base::Time;

/// `tiles` tiles, each of which reads `read` bytes, writes `written` bytes and computes `alu_ops` operations.
TileOp tile_op(std::int64_t tiles, std::int64_t read, std::int64_t written, std::int64_t alu_ops) {
  TileWork work;
  if (read > 0) work.reads.push_back({Bytes(read), {}});
  if (written > 0) work.writes.push_back({Bytes(written), {}});
  work.phases.emplace_back();
  work.phases.back().of<Vector>().alu_ops = alu_ops;
  return {"op", {{tiles, work}}, Bytes(4 << 20)};
}

/// An op that begins at time 0, and the HBM that it shares.
struct Beside {
  explicit Beside(const TileOp& op)
      : machine(the_tpu_v3()), hbm(machine.hbm), alone(simulate_op(machine, op)), contended(machine) {
    contended.begin(hbm, Time(0), op, alone);
  }
  Time at(Cycles cycle) const { return machine.core_clock().time_of(cycle); }
  /// The time in which the HBM moves `bytes` without other traffic.
  Time moving(std::int64_t bytes) const { return base::to_time(Bytes(bytes) / machine.hbm.stream_rate); }

  const Machine& machine;
  HbmOccupancy hbm;
  OpResult alone;
  ContendedOp contended;
};

TEST(ContendedOp, WithoutClaimsTakesItsOwnTime) {
  const TileOp op = tile_op(20, 200'000, 100'000, 100);
  Beside beside(op);
  EXPECT_EQ(beside.contended.cycles(), beside.alone.cycles);
}

// Reads of both engines all the time: the share of each engine is measured on the banks.
TEST(ContendedOp, BoundByTheHbmKeepsItsShareBesideEndlessClaims) {
  const TileOp op = tile_op(100, 1 << 20, 0, 100);
  Beside beside(op);
  beside.hbm.claim(Time(0), Direction::read, Bytes(1 << 28));
  const HbmStream::Shares shares = HbmStream(beside.machine).shares({true, false, true, false});
  const double slower = double(beside.contended.cycles().value()) / double(beside.alone.cycles.value());
  EXPECT_NEAR(slower, 1 / shares[0], 0.02 / shares[0]);
}

// A claim concurrent with the op gets the share of the claims' engine, and more only while the op has nothing to move.
TEST(ContendedOp, BoundByTheHbmLeavesClaimsTheirShare) {
  const TileOp op = tile_op(100, 1 << 20, 0, 100);
  Beside beside(op);
  const std::int64_t bytes = 4 << 20;
  const Time end = beside.hbm.claim(Time(0), Direction::read, Bytes(bytes));
  const HbmStream::Shares shares = HbmStream(beside.machine).shares({true, false, true, false});
  const double share = double(beside.moving(bytes).value()) / double(end.value());
  EXPECT_GE(share, shares[2]);
  EXPECT_LE(share, shares[2] + 0.1);
}

// The units compute all the time, and every claim comes and goes while they do.
TEST(ContendedOp, ClaimsThatAreRarerThanTheSlackCostNothing) {
  const TileOp op = tile_op(40, 64 << 10, 0, 40'000);
  Beside beside(op);
  const Cycles tile = beside.alone.cycles / 40;
  for (std::int64_t t = 0; t < 39; ++t) {
    beside.hbm.claim(beside.at(tile * t + tile / 2), Direction::read, Bytes(64 << 10));
  }
  EXPECT_LE(beside.contended.cycles(), beside.alone.cycles + beside.alone.cycles / 1000);
}

TEST(ContendedOp, WithoutTrafficOfItsOwnLeavesTheHbmToClaims) {
  const TileOp op = tile_op(40, 0, 0, 10'000);
  Beside beside(op);
  EXPECT_EQ(beside.hbm.claim(Time(0), Direction::read, Bytes(1 << 20)), beside.moving(1 << 20));
  EXPECT_EQ(beside.contended.cycles(), beside.alone.cycles);
}

TEST(ContendedOp, ThatHasEndedLeavesTheHbmToClaims) {
  const TileOp op = tile_op(20, 1 << 20, 0, 100);
  Beside beside(op);
  beside.contended.finish();
  EXPECT_EQ(beside.hbm.claim(Time(0), Direction::read, Bytes(1 << 20)), beside.moving(1 << 20));
}

// Claims move all of their bytes: the op waits at most for all of them, at the rate of the slowest mix of streams.
RC_GTEST_PROP(ContendedOp, IsDelayedByAtMostTheClaimsTime, ()) {
  const TileOp op = tile_op(*rc::gen::inRange(1, 20), *rc::gen::inRange(1, 64) * 4096, *rc::gen::inRange(0, 64) * 4096,
                            *rc::gen::inRange(0, 4000));
  Beside beside(op);
  HbmStream stream(beside.machine);
  Time now;
  Cycles last = beside.alone.cycles;
  std::int64_t claimed = 0;
  for (std::int64_t i = *rc::gen::inRange(0, 10); i > 0; --i) {
    now += beside.at(Cycles(*rc::gen::inRange<std::int64_t>(0, 20'000)));
    const std::int64_t bytes = *rc::gen::inRange(1, 512) * 4096;
    beside.hbm.claim(now, *rc::gen::element(Direction::read, Direction::write), Bytes(bytes));
    claimed += bytes;
    RC_ASSERT(beside.contended.cycles() >= last);
    last = beside.contended.cycles();
  }
  // The slowest of four streams has a sixth of the bytes: while an op with this stream alone moves its bytes, claims
  // move five times as many.
  const auto waits = double(beside.alone.tiles) * double(HbmStream::outstanding(beside.machine).value());
  const double most = double(beside.at(beside.alone.cycles).value()) + 1.5 * double(beside.moving(claimed).value()) +
                      2 * double(beside.moving(std::int64_t(waits)).value());
  RC_ASSERT(double(beside.at(last).value()) <= most + 1e6);
}

}  // namespace
}  // namespace podsim::hw::timing
