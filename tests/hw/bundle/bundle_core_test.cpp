// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/bundle_core.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/hw/bundle/pasm.h"

namespace podsim::hw::bundle {
namespace {

std::string times(int count, const std::string& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line;
  return text;
}

// Order within a bundle.

TEST(BundleCore, IssuesABundlePerCycle) {
  Pasm pasm;
  EXPECT_EQ(pasm.cycles("halt\n"), 1);
  EXPECT_EQ(pasm.cycles(times(9, "nop\n") + "halt\n"), 10);
}

TEST(BundleCore, BothScalarSlotsReadBeforeEitherWrites) {
  Pasm pasm;
  pasm.pass(
      "{ s.mov s1, 1 ; s.mov s2, 2 }\n"
      "{ s.mov s1, s2 ; s.mov s2, s1 }\n"
      "{ s.store [0], s1 ; s.store [1], s2 }\n"
      "halt\n"
      ".expect smem, 0\n .word 2, 1\n");
}

TEST(BundleCore, SmemIsReadBeforeItIsWritten) {
  Pasm pasm;
  pasm.pass(
      "s.mov s1, 7\n"
      "{ s.store [0], s1 ; s.load s2, [0] }\n"
      "nop\nnop\nnop\n"
      "s.store [1], s2\n"
      "halt\n"
      ".smem x, 0\n .word 5\n"
      ".expect smem, 0\n .word 7, 5\n");
}

TEST(BundleCore, TwoVectorSlotsCanSwapRegisters) {
  Pasm pasm;
  pasm.pass(
      "{ v.mov v1, 1.5 ; v.mov v2, 2.5 }\nnop\n"
      "{ v.add.f32 v1, v2, 0.0 ; v.add.f32 v2, v1, 0.0 }\nnop\n"
      "vst [0], v1\nvst [8], v2\nhalt\n"
      ".expect vmem, 0\n .fill f32, 1024, 2.5\n .fill f32, 1024, 1.5\n");
}

/// All operations of a bundle use values that the others overwrite.
TEST(BundleCore, EverySlotReadsBeforeAnyWrites) {
  Pasm pasm;
  pasm.pass(
      "{ v.mov v1, 1.0 ; v.mov v2, 2.0 ; s.mov s1, 16 }\nnop\n"
      "{ v.lt.f32 vm1, v3, 0.0 ; e.recip v2 ; s.mov s2, 4 }\n"
      "e.recip 0.25\nnop\nnop\n"
      "pop v3, eup\nnop\n"
      // s1 is 16 and s2 is 4; v1 = 1, v2 = 2, v3 = 1/2, vm1 is empty, and 4 waits to be popped
      "{ s.add s1, s1, 8 ; s.sub s2, s2, 1 ; v.add.f32 v1, v3, v2 ; v.lt.f32 vm1, v2, v1\n"
      "  vld v2, [s1] ; vst [s1], v3 ; x.rotate.lanes v1, s2 ; pop v3, eup }\n"
      "nop\nnop\nnop\n"
      "{ vst [0], v1 ; s.store [0], s1 }\n"
      "{ vst [8], v2 ; s.store [1], s2 }\n"
      "vst [24], v3\n"
      "pop v4, xlu\n"
      "vst [32], v4\nhalt\n"
      ".vmem x, 16 * 128\n .fill f32, 1024, 7.0\n"
      ".expect smem, 0\n .word 24, 3\n"
      ".expect vmem, 0\n .fill f32, 1024, 2.5\n .fill f32, 1024, 7.0\n .fill f32, 1024, 0.5\n .fill f32, 1024, 4.0\n"
      " .fill f32, 1024, 1.0\n");
}

TEST(BundleCore, AMaskedWriteThatAnotherSlotReadsMergesWithTheOldValue) {
  Pasm pasm;
  pasm.pass(
      "{ v.lane v1 ; v.mov v2, 5 }\n"
      "nop\n"
      "v.lt.s32 vm1, v1, 64\n"
      "nop\n"
      "{ v.mov v2, v1, vm1 ; v.add.s32 v1, v2, 0 }\n"  // lanes 0 to 63 of v2 are the lane, others stay 5
      "nop\n"
      "vst [0], v2\nvst [8], v1\nhalt\n"
      ".expect vmem, 0\n .repeat 8\n .iota word, 64\n .fill word, 64, 5\n .end\n .fill word, 1024, 5\n");
}

// Branches.

/// The branch issues in cycle 1, eight cycles are lost, its target issues in cycle 10.
TEST(BundleCore, ATakenBranchCostsEightCycles) {
  Pasm pasm;
  const BundleRunResult result = pasm.pass("nop\ns.branch over\nnop\nover: halt\n");
  EXPECT_EQ(result.cycles, base::Cycles(11));
  EXPECT_EQ(stalled(result, Stall::branch), 8);
  EXPECT_EQ(result.bundles, 3);
}

TEST(BundleCore, ABranchThatIsNotTakenCostsNothing) {
  Pasm pasm;
  EXPECT_EQ(pasm.cycles("nop\n@p1 s.branch over\nnop\nover: halt\n"), 4);
}

/// n trips of two bundles, of which n - 1 end in a taken branch.
TEST(BundleCore, ALoopRunsItsCountAndPaysForEveryWayBack) {
  for (const int trips : {1, 2, 7}) {
    Pasm pasm;
    EXPECT_EQ(pasm.cycles(fmt::format("s.mov s1, {0}\n"
                                      "again: s.add s2, s2, 1\n"
                                      "s.loop s1, again\n"
                                      "{{ s.store [0], s2 ; s.store [1], s1 }}\n"
                                      "halt\n"
                                      ".expect smem, 0\n .word {0}, 0\n",
                                      trips)),
              1 + 2 * trips + 8 * (trips - 1) + 2);
  }
}

/// s1 begins at 0, so it is -1 after the first trip. The loop would run 2^32 trips, but the limit ends it.
TEST(BundleCore, ALoopCountsDownBeforeItLooks) {
  Pasm pasm;
  pasm.options.limit = base::Cycles(1000);
  EXPECT_NE(pasm.verdict("again: s.loop s1, again\nhalt\n").find("limit of 1000 cycles"), std::string::npos);
}

TEST(BundleCore, TheLimitIsAVerdictInTheCycleItNames) {
  Pasm pasm;
  pasm.options.limit = base::Cycles(3);
  EXPECT_EQ(pasm.verdict("nop\nnop\nhalt\n"), "");
  EXPECT_EQ(pasm.verdict("nop\nnop\nnop\nhalt\n"), "bundle 3 (test.pasm:4), cycle 3: the limit of 3 cycles is reached");
}

// Waits. Each program waits for one thing, and its cycles are counted by hand.

void expect_waits(const BundleRunResult& result, std::int64_t cycles, Stall reason, std::int64_t waited) {
  EXPECT_EQ(result.cycles, base::Cycles(cycles));
  for (int stall = 0; stall < stall_reasons; ++stall) {
    EXPECT_EQ(result.stalls[std::size_t(stall)], base::Cycles(Stall(stall) == reason ? waited : 0))
        << to_string(Stall(stall));
  }
}

/// 1000 bytes, 1024 rounded to the atoms of HBM, begin to move 20 cycles after cycle 0 and take 10.24: the flag goes up
/// in cycle 31, in which the wait issues, 30 after the first cycle in which it could have.
TEST(BundleCore, WaitsForASyncFlag) {
  Pasm pasm;
  expect_waits(pasm.pass("dma load\nsync.wait 3, 1\nhalt\n"
                         ".hbm a\n .zeros 250\n"
                         ".dma load { route = hbm_to_vmem ; source = a ; destination = 0 ; words = 250 ; flag = 3 }\n"),
               33, Stall::sync_flag, 30);
}

TEST(BundleCore, DoesNotWaitForAFlagThatIsHighEnough) {
  Pasm pasm;
  EXPECT_EQ(pasm.cycles("sync.set 3, 5\nsync.add 3, -1\nsync.wait 3, 4\nhalt\n"), 4);
}

/// Two descriptors fill the queue. The first moves 3200 bytes from cycle 20 to 52, the second until 84; the third can
/// issue in cycle 52 and arrives in 72, so it is done when the second and its own 32 cycles are over, in 116.
TEST(BundleCore, WaitsForRoomAmongTheDescriptors) {
  base::Config config = machine_file("tpu-v3");
  for (const char* value :
       {"core.clock=1 GHz", "hbm.stream_rate=100 GB/s", "dma.read_latency=20 ns", "dma.queue_depth=2"})
    config.set(value);
  Pasm pasm;
  pasm.machine = read_machine(config);
  const std::string load = " { route = hbm_to_vmem ; source = a ; words = 800 ; destination = ";
  const BundleRunResult result = pasm.pass(
      "dma one\ndma two\ndma three\nsync.wait 0, 3\nhalt\n"
      ".hbm a\n .zeros 800\n"
      ".dma one" +
      load + "0 }\n.dma two" + load + "1024 }\n.dma three" + load + "2048 }\n");
  EXPECT_EQ(stalled(result, Stall::dma_queue), 50);
  EXPECT_EQ(stalled(result, Stall::sync_flag), 116 - 53);
  EXPECT_EQ(result.cycles, base::Cycles(118));
}

/// Weight register i is pushed in cycle i at the earliest, starts in 1 + 8 i and makes room for register i + 4 when it
/// does: register 15 is pushed when register 11 starts, in cycle 89. The latch follows in 90 and happens when the
/// weights are in, in 121 + 8. Latch and LHS registers share four slots, so the fourth LHS register is pushed in 129.
TEST(BundleCore, WaitsForRoomInFrontOfAMatrixUnit) {
  Pasm pasm;
  const BundleRunResult result =
      pasm.pass(times(16, "mxu.weights mxu1, v1\n") + "mxu.latch mxu1\n" + times(4, "mxu.lhs mxu1, v1\n") + "halt\n");
  expect_waits(result, 131, Stall::matrix_operands, (89 - 15) + (129 - 94));
}

/// The LHS register pushed in cycle c after a latch starts in c + 1 and its result can be popped 135 later.
TEST(BundleCore, WaitsForTheResultOfAMatrixUnit) {
  Pasm pasm;
  const BundleRunResult result =
      pasm.pass(times(16, "mxu.weights mxu0, v1\n") + "mxu.latch mxu0\nmxu.lhs mxu0, v1\npop v2, mxu0\nhalt\n");
  // As above the latch is pushed in cycle 90 and happens in 129, LHS is pushed in 91 and starts with the latch.
  EXPECT_EQ(stalled(result, Stall::matrix_operands), 89 - 15);
  EXPECT_EQ(stalled(result, Stall::matrix_results), 129 + 135 - 92);
  EXPECT_EQ(result.cycles, base::Cycles(129 + 135 + 2));
}

/// Pushes every eight cycles, the second result eight cycles after the first, which comes in cycle 100.
TEST(BundleCore, WaitsForTheCrossLaneUnitOnEitherSide) {
  Pasm pasm;
  expect_waits(pasm.pass("x.sum.lanes v1\nx.sum.lanes v1\npop v2, xlu\npop v3, xlu\nhalt\n"), 110, Stall::cross_lane,
               7 + (100 - 9) + 7);
}

TEST(BundleCore, WaitsForTheTranscendentalUnit) {
  Pasm pasm;
  expect_waits(pasm.pass("e.exp v1\npop v2, eup\nhalt\n"), 6, Stall::transcendental, 3);
}

/// A word can be popped 10 cycles after its push; the second comes a cycle after the first and need not wait.
TEST(BundleCore, WaitsForAWordOnItsWayToTheScalarUnit) {
  Pasm pasm;
  expect_waits(pasm.pass("push.scalar v1\ns.pop s1\nhalt\n"), 12, Stall::scalar_path, 9);
  expect_waits(pasm.pass("push.scalar v1\npush.scalar v1\ns.pop s1\ns.pop s1\nhalt\n"), 13, Stall::scalar_path, 8);
  expect_waits(pasm.pass("push.scalar v1\n" + times(9, "nop\n") + "s.pop s1\nhalt\n"), 12, Stall::scalar_path, 0);
}

/// Element (sublane, lane) of a register of iota is 128 sublane + lane. Rotations and strides bring others to (0, 0).
TEST(BundleCore, GivesTheScalarUnitTheWordOfSublaneZeroLaneZeroInTheOrderOfPushes) {
  Pasm pasm;
  pasm.pass(
      "vld v1, [3]\nnop\nnop\nnop\n{ push.scalar v1 ; vld v2, [5] }\nx.rotate.lanes v1, -77\npop v3, xlu\n"
      "{ push.scalar v3 ; s.pop s1 }\npush.scalar v2\nnop\ns.pop s2\ns.pop s3\n"
      "s.add s4, s3, 1\n"  // the next bundle may read it
      "s.store [0], s1\ns.store [1], s2\ns.store [2], s3\ns.store [3], s4\nhalt\n"
      ".vmem a, 0\n .iota word, 4096\n"
      ".expect smem, 0\n .word 3 * 128, 3 * 128 + 77, 5 * 128, 5 * 128 + 1\n");
}

/// The loop ends when the popped word says so: after the 5 rows of 1 that come before a row of 0.
TEST(BundleCore, BranchesOnAWordOfAVector) {
  Pasm pasm;
  pasm.pass(
      "next: vld v1, [s1]\ns.add s1, s1, 1\nnop\nnop\npush.scalar v1\ns.pop s2\ns.eq p1, s2, 1\n"
      "@p1 s.branch next\ns.store [0], s1\nhalt\n"
      ".vmem a, 0\n .fill word, 640, 1\n .zeros 128\n"
      ".expect smem, 0\n .word 6\n");
}

/// Rows 4 apart are in two banks, four in each.
TEST(BundleCore, WaitsForRowsThatMeetInABank) {
  Pasm pasm;
  expect_waits(pasm.pass("vld v1, [0 : 4]\nnop\nhalt\n"), 6, Stall::vmem_bank, 3);
  expect_waits(pasm.pass("vst [0 : 8], v1\nvst [1 : 8], v1\nhalt\n"), 17, Stall::vmem_bank, 14);
  expect_waits(pasm.pass("{ vld v2, [0 : 2] ; vst [100 : 4], v1 }\nhalt\n"), 5, Stall::vmem_bank, 3);
  expect_waits(pasm.pass("{ vld v2, [0 : 0] ; vst [100 : 3], v1 }\nhalt\n"), 2, Stall::vmem_bank, 0);
  expect_waits(pasm.pass("vld.shuffle v2, [0 : 0x76543288]\nhalt\n"), 2, Stall::vmem_bank, 0);
  expect_waits(pasm.pass("vld.shuffle v2, [0 : 0x76543280]\nhalt\n"), 3, Stall::vmem_bank, 1);
}

/// The value of a load counts from the last of its cycles: it issues in cycle 3.
TEST(BundleCore, ALoadThatHeldTheBanksIssuesWithTheLastOfItsCycles) {
  Pasm pasm;
  EXPECT_EQ(pasm.cycles("vld v1, [0 : 4]\nnop\nnop\nnop\nv.add.f32 v2, v1, v1\nhalt\n"), 3 + 6);
}

TEST(BundleCore, AFenceWaitsUntilTheLastStoreIsSeen) {
  Pasm pasm;
  expect_waits(pasm.pass("vst [0], v1\nnop\nfence\nhalt\n"), 10, Stall::fence, 6);
  expect_waits(pasm.pass("fence\nhalt\n"), 2, Stall::fence, 0);
}

/// 100 B per cycle bring 100 / 512 of a row: in 82 cycles of stores 16 rows wait, the next store is too many. Each wait
/// lets eight rows pass, which come in 41 cycles. The DMA of 1024 rows moves data from cycle 20 until 5263.
TEST(BundleCore, DmaTakesCyclesFromACoreThatNeverLeavesTheBanksAlone) {
  Pasm pasm;
  const BundleRunResult result = pasm.pass(
      "dma load\n" + times(400, "vst [0], v1\n") + "sync.wait 0, 1\nhalt\n" +
      ".hbm a\n .zeros 1\n.dma load { route = hbm_to_vmem ; source = a ; destination = 1024 ; words = 131072 }\n");
  // Stores from cycle 21 on. After n of them n * 100 / 512 rows have come; more than 16 for the first time with n = 82,
  // then every 41 cycles (8 * 512 / 100 = 40.96): the 380 or so cycles that are left have 1 + (380 - 82) / 41 waits.
  EXPECT_EQ(stalled(result, Stall::vmem_bank), 1 + (380 - 82) / 41);
}

/// The pop waits longest, so all cycles are its own: the push could have gone in cycle 8, the pop goes in 100.
TEST(BundleCore, AWaitCountsForWhatWasWaitedForLongest) {
  Pasm pasm;
  std::vector<std::pair<Stall, std::int64_t>> waits;
  pasm.options.on_issue = [&](const IssueRecord& record) {
    if (record.stalled > base::Cycles(0)) waits.emplace_back(record.reason, record.stalled.value());
  };
  const BundleRunResult result = pasm.pass(
      "{ x.sum.lanes v1 ; e.exp v1 }\n{ x.sum.lanes v1 ; pop v2, eup }\n"
      "vst [0 : 8], v1\nhalt\n");
  EXPECT_EQ(stalled(result, Stall::cross_lane), 7);
  EXPECT_EQ(stalled(result, Stall::transcendental), 0);
  EXPECT_EQ(waits, (std::vector<std::pair<Stall, std::int64_t>>{{Stall::cross_lane, 7}, {Stall::vmem_bank, 7}}));
}

// Listings.

TEST(BundleCore, TellsOfEveryBundleWhenItIssues) {
  Pasm pasm;
  std::vector<std::string> records;
  pasm.options.on_issue = [&](const IssueRecord& record) {
    records.push_back(fmt::format("{} {} {} {}", record.cycle.value(), record.address, record.stalled.value(),
                                  isa::pasm::disassemble(record.bundle)));
  };
  pasm.pass("s.mov s1, 2\nagain: e.exp v1\npop v2, eup\ns.loop s1, again\nhalt\n");
  EXPECT_EQ(records,
            (std::vector<std::string>{"0 0 0 s.mov s1, 2", "1 1 0 e.exp v1", "5 2 3 pop v2, eup", "6 3 0 s.loop s1, 1",
                                      "15 1 8 e.exp v1", "19 2 3 pop v2, eup", "20 3 0 s.loop s1, 1", "21 4 0 halt"}));
}

TEST(BundleCore, CountsOperationsBySlotWhetherPerformedOrNot) {
  Pasm pasm;
  const BundleRunResult result = pasm.pass(
      "{ s.mov s1, 1 ; s.mov s2, 2 ; v.mov v1, 1 ; v.mov v2, 1 ; @p1 vld v3, [0] ; vst [0], v4 ; mxu.weights mxu0, v5 "
      "}\n"
      "{ e.exp v6 ; s.nop ; s.mov s3, 1 }\n"
      "{ pop v7, eup ; halt }\n");
  EXPECT_EQ(result.slot_use, (std::array<std::int64_t, isa::slots>{1, 2, 2, 1, 1, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace podsim::hw::bundle
