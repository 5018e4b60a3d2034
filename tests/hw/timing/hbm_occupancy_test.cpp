// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/hbm_occupancy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hw/timing/hbm_stream.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::timing {
namespace {

using base::Cycles;
using base::Time;

constexpr std::int64_t ps_of_cycle = 1000;  // ps of round_machine(), whose HBM moves 100 B a cycle

/// `tiles` tiles of 10,000 cycles, in which data move for `busy` and units compute for `compute`.
OpResult op(std::int64_t tiles, std::int64_t busy, std::int64_t compute) {
  OpResult op;
  op.tiles = tiles;
  op.cycles = Cycles(10'000 * tiles);
  op.hbm_busy = Cycles(busy * tiles);
  op.compute = Cycles(compute * tiles);
  op.read_wait = op.cycles - op.compute;
  return op;
}

TEST(HbmOccupancy, ClaimsAreServedInOrderAndTurnAroundForWhatIsMixed) {
  HbmOccupancy hbm(round_machine().hbm);
  EXPECT_EQ(hbm.claim(Time(0), Direction::read, base::Bytes(1000)), Time(10 * ps_of_cycle));
  EXPECT_EQ(hbm.claim(Time(0), Direction::write, base::Bytes(500)), Time(17 * ps_of_cycle));  // 500 and 0.4 of them
  EXPECT_EQ(hbm.claim(Time(40 * ps_of_cycle), Direction::write, base::Bytes(500)), Time(45 * ps_of_cycle));
}

// A port passes 40 of the 100 B that the HBM moves in a cycle, in each direction: what is read beside writes is free.
TEST(HbmOccupancy, NoDirectionMovesMoreThanItsPortOfTheSwitchPasses) {
  HbmParameters parameters = round_machine().hbm;
  parameters.port_rate = base::Bandwidth(40e9);
  HbmOccupancy hbm(parameters);
  EXPECT_EQ(hbm.claim(Time(0), Direction::read, base::Bytes(1000)), Time(25 * ps_of_cycle));
  EXPECT_EQ(hbm.claim(Time(0), Direction::write, base::Bytes(1000)), Time(25 * ps_of_cycle));
  EXPECT_EQ(hbm.claim(Time(0), Direction::write, base::Bytes(400)), Time(35 * ps_of_cycle));
}

TEST(HbmOccupancy, AClaimThatFollowsARecordTakesAsLongWheneverItComes) {
  // Left alone, the HBM is idle again at 18 ns and saves the turnaround of a write that comes then.
  std::vector<bool> idle;
  HbmOccupancy first(round_machine().hbm);
  first.record_idle(idle);
  first.claim(Time(1), Direction::read, base::Bytes(1000));
  EXPECT_EQ(first.claim(Time(1), Direction::write, base::Bytes(500)), Time(1 + 17 * ps_of_cycle));
  EXPECT_EQ(idle, (std::vector<bool>{true, false}));
  HbmOccupancy late(round_machine().hbm);
  late.follow_idle(idle);
  late.claim(Time(1), Direction::read, base::Bytes(1000));
  EXPECT_EQ(late.claim(Time(18 * ps_of_cycle), Direction::write, base::Bytes(500)), Time(25 * ps_of_cycle));
}

TEST(HbmOccupancy, AClaimWithHalfOfTheHbmTakesTwiceAsLong) {
  HbmOccupancy hbm(round_machine().hbm);
  hbm.set_share(0.5);
  EXPECT_EQ(hbm.claim(Time(0), Direction::read, base::Bytes(1000)), Time(20 * ps_of_cycle));
}

TEST(ContendedOp, WithoutClaimsTakesItsOwnTime) {
  const Machine machine = round_machine();
  HbmOccupancy hbm(machine.hbm);
  ContendedOp contended(machine);
  contended.begin(hbm, Time(5 * ps_of_cycle), op(7, 9000, 2000));
  EXPECT_EQ(contended.end(), Time((5 + 70'000) * ps_of_cycle));
}

// Data move all the time. Of two tiles' time, one tile and as much of the claims, and what those have outstanding, are
// moved, so that every byte of theirs delays the op by its own time.
TEST(ContendedOp, BoundByTheHbmWaitsForAllClaims) {
  const Machine machine = round_machine();
  HbmOccupancy hbm(machine.hbm);
  ContendedOp contended(machine);
  contended.begin(hbm, Time(0), op(10, 10'000, 1000));
  const std::int64_t outstanding = HbmStream::outstanding(machine).value() / 100;
  const double share = double(10'000 + outstanding) / double(20'000 + outstanding);
  const Time served = hbm.claim(Time(0), Direction::read, base::Bytes(2'000'000));
  EXPECT_NEAR(double(served.value()), 20'000 * ps_of_cycle / share, 2.0 * ps_of_cycle);
  EXPECT_NEAR(double(contended.end().value()), 120'000.0 * ps_of_cycle, 20.0 * ps_of_cycle);
}

// Between the claims the units compute for 6,000 cycles longer than the data of a tile move, less the read latency.
TEST(ContendedOp, ClaimsThatAreRarerThanTheSlackCostNothing) {
  const Machine machine = round_machine();
  HbmOccupancy hbm(machine.hbm);
  ContendedOp contended(machine);
  contended.begin(hbm, Time(0), op(10, 4000, 10'000));
  for (std::int64_t tile = 0; tile < 10; ++tile) {
    hbm.claim(Time(tile * 10'000 * ps_of_cycle), Direction::read, base::Bytes(200'000));
    EXPECT_EQ(contended.end(), Time(100'000 * ps_of_cycle));
  }
}

// The claims never end before the op does: in every tile' the op moves one tile.
TEST(ContendedOp, BehindEndlessClaimsMovesATileInEveryTilesTime) {
  const Machine machine = round_machine();
  HbmOccupancy hbm(machine.hbm);
  ContendedOp contended(machine);
  contended.begin(hbm, Time(0), op(10, 10'000, 1000));
  hbm.claim(Time(0), Direction::read, base::Bytes(1'000'000'000));
  const std::int64_t outstanding = HbmStream::outstanding(machine).value() / 100;
  EXPECT_NEAR(double(contended.end().value()), 10.0 * double(20'000 + outstanding) * ps_of_cycle,
              25'000.0 * ps_of_cycle);
}

RC_GTEST_PROP(ContendedOp, IsDelayedByAtMostTheClaimsTime, ()) {
  const Machine machine = round_machine();
  HbmOccupancy hbm(machine.hbm);
  ContendedOp contended(machine);
  const std::int64_t busy = *rc::gen::inRange(0, 10'001), compute = *rc::gen::inRange(0, 10'001);
  const OpResult alone = op(*rc::gen::inRange(1, 50), busy, compute);
  contended.begin(hbm, Time(0), alone);
  std::int64_t claimed = 0;  // bytes, as if every one of them turned the bus around
  Time now, last = contended.end();
  for (std::int64_t i = *rc::gen::inRange(0, 30); i > 0; --i) {
    now += Time(*rc::gen::inRange<std::int64_t>(0, 20'000) * ps_of_cycle);
    const std::int64_t bytes = *rc::gen::inRange(1, 2'000'000);
    hbm.claim(now, *rc::gen::element(Direction::read, Direction::write), base::Bytes(bytes));
    claimed += bytes;
    const Time end = contended.end();
    RC_ASSERT(end >= last);
    last = end;
  }
  const double most = double(alone.cycles.value()) + 1.4 * double(claimed) / 100;
  RC_ASSERT(double(last.value()) <= most * ps_of_cycle + 100.0 * ps_of_cycle);
}

}  // namespace
}  // namespace podsim::hw::timing
