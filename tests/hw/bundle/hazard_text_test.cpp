// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/hazard_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/hw/bundle/pasm.h"

namespace podsim::hw::bundle {
namespace {

std::string nops(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "nop\n";
  return text;
}

/// `first`, then `second`, which has to be `distance` bundles later: no complaint then, and `message` one bundle
/// earlier.
void expect_distance(Pasm& pasm, const std::string& first, int distance, const std::string& second,
                     const std::string& message) {
  EXPECT_EQ(pasm.verdict(first + "\n" + nops(distance - 1) + second + "\nhalt\n"), "");
  EXPECT_EQ(pasm.verdict(first + "\n" + nops(distance - 2) + second + "\nhalt\n"),
            fmt::format("bundle {0} (test.pasm:{1}), cycle {0}: {2}", distance - 1, distance, message));
}

void expect_distance(const std::string& first, int distance, const std::string& second, const std::string& message) {
  Pasm pasm;
  expect_distance(pasm, first, distance, second, message);
}

/// The verdict of a program that fails in its last bundle but one.
std::string verdict(const std::string& text) {
  Pasm pasm;
  return pasm.verdict(text);
}

// Registers.

TEST(Hazards, AVectorResultIsReadTwoCyclesLaterAtTheEarliest) {
  const std::string writer = "'v.add.f32 v3, v1, v2' of bundle 0 (test.pasm:1) issued in cycle 0 and takes 2 cycles";
  expect_distance("v.add.f32 v3, v1, v2", 2, "v.mul.f32 v4, v3, v3",
                  "'v.mul.f32 v4, v3, v3' reads v3 1 cycle before it is ready: " + writer);
  expect_distance("v.add.f32 v3, v1, v2", 2, "vst [0], v3",
                  "'vst [0], v3' reads v3 1 cycle before it is ready: " + writer);
  expect_distance("v.add.f32 v3, v1, v2", 2, "mxu.weights mxu0, v3",
                  "'mxu.weights mxu0, v3' reads v3 1 cycle before it is ready: " + writer);
  expect_distance("v.add.f32 v3, v1, v2", 2, "e.exp v3", "'e.exp v3' reads v3 1 cycle before it is ready: " + writer);
  expect_distance("v.add.f32 v3, v1, v2", 2, "x.permute.lanes v1, v3",
                  "'x.permute.lanes v1, v3' reads v3 1 cycle before it is ready: " + writer);
}

TEST(Hazards, LoadsTakeFourCycles) {
  expect_distance(
      "vld v1, [0]", 4, "v.mov v2, v1",
      "'v.mov v2, v1' reads v1 1 cycle before it is ready: 'vld v1, [0]' of bundle 0 (test.pasm:1) issued in "
      "cycle 0 and takes 4 cycles");
  expect_distance("s.load s1, [0]", 4, "s.add s2, s0, s1",
                  "'s.add s2, s0, s1' reads s1 1 cycle before it is ready: 's.load s1, [0]' of bundle 0 (test.pasm:1) "
                  "issued in cycle 0 and takes 4 cycles");
}

TEST(Hazards, AddressesFlagsAndAmountsAreReadToo) {
  const std::string writer =
      "1 cycle before it is ready: 's.load s1, [0]' of bundle 0 (test.pasm:1) issued in cycle 0 and "
      "takes 4 cycles";
  for (const char* reader : {"vld v1, [s1]", "vld v1, [0 : s1]", "vst [s2 + s1], v2", "v.splat v1, s1",
                             "m.splat vm1, s1", "x.rotate.lanes v1, s1", "dma s1", "sync.set 1, s1", "sync.wait 1, s1",
                             "s.loop s1, 0", "s.store [s1], s0", "s.store [0], s1", "s.eq p1, s1, 0"}) {
    Pasm pasm;
    const std::string text = fmt::format("s.load s1, [0]\nnop\nnop\n{}\nhalt\n", reader);
    EXPECT_NE(pasm.verdict(text).find("reads s1 " + writer), std::string::npos) << reader << "\n" << pasm.verdict(text);
  }
}

TEST(Hazards, MasksAndWhatTheyMergeWithAreRead) {
  expect_distance("v.eq.s32 vm1, v1, 0", 2, "vst [0], v2, vm1",
                  "'vst [0], v2, vm1' reads vm1 1 cycle before it is ready: 'v.eq.s32 vm1, v1, 0' of bundle 0 "
                  "(test.pasm:1) issued in cycle 0 and takes 2 cycles");
  expect_distance("v.mov v2, v1", 2, "v.mov v2, v3, vm1",
                  "'v.mov v2, v3, vm1' reads v2 1 cycle before it is ready: 'v.mov v2, v1' of bundle 0 (test.pasm:1) "
                  "issued in cycle 0 and takes 2 cycles");
}

TEST(Hazards, ARegisterIsNotOverwrittenBeforeItIsReady) {
  expect_distance("vld v2, [0]", 4, "v.mov v2, v3",
                  "'v.mov v2, v3' overwrites v2 1 cycle before it is ready: 'vld v2, [0]' of bundle 0 (test.pasm:1) "
                  "issued in cycle 0 and takes 4 cycles");
  expect_distance("s.load s1, [0]", 4, "s.mov s1, 3",
                  "'s.mov s1, 3' overwrites s1 1 cycle before it is ready: 's.load s1, [0]' of bundle 0 (test.pasm:1) "
                  "issued in cycle 0 and takes 4 cycles");
}

TEST(Hazards, LatenciesAreThoseOfTheMachine) {
  base::Config config = machine_file("tpu-v3");
  config.set("scalar.alu_latency_cycles=3");
  Pasm pasm;
  pasm.machine = read_machine(config);
  expect_distance(pasm, "s.eq p1, s0, 0", 3, "@p1 s.mov s1, 3",
                  "'@p1 s.mov s1, 3' reads p1 1 cycle before it is ready: 's.eq p1, s0, 0' of bundle 0 (test.pasm:1) "
                  "issued in cycle 0 and takes 3 cycles");
  expect_distance(
      pasm, "s.mov s2, 1", 3, "s.add s1, s2, s2",
      "'s.add s1, s2, s2' reads s2 1 cycle before it is ready: 's.mov s2, 1' of bundle 0 (test.pasm:1) issued "
      "in cycle 0 and takes 3 cycles");
  // A pop's result has the latency of the scalar unit.
  EXPECT_EQ(pasm.verdict("e.exp v1\npop v2, eup\nnop\nnop\nvst [0], v2\nhalt\n"), "");
  EXPECT_NE(pasm.verdict("e.exp v1\npop v2, eup\nnop\nvst [0], v2\nhalt\n").find("reads v2 1 cycle before"),
            std::string::npos);
}

TEST(Hazards, AnOperationThatIsNotPerformedMayNameRegistersThatAreNotReady) {
  EXPECT_EQ(verdict("vld v1, [0]\n@p1 v.mov v2, v1\n@p1 v.mov v1, 0\nhalt\n"), "");
}

/// While a bundle waits, results in flight arrive: the pop issues in cycle 4, when the load's value is ready.
TEST(Hazards, CyclesThatABundleWaitsCountTowardsLatency) {
  EXPECT_EQ(verdict("{ vld v1, [0] ; e.exp v3 }\n{ pop v2, eup ; v.mov v4, v1 }\nhalt\n"), "");
}

// VMEM.

TEST(Hazards, RowsExist) {
  EXPECT_EQ(verdict("vld v1, [32760]\nvst [32760], v2\nhalt\n"), "");
  EXPECT_EQ(verdict("nop\nvld v1, [32761]\nhalt\n"),
            "bundle 1 (test.pasm:2), cycle 1: 'vld v1, [32761]' reads VMEM row 32768; there are 32768");
  EXPECT_EQ(verdict("s.mov s1, -5\nvst [s1], v1\nhalt\n"),
            "bundle 1 (test.pasm:2), cycle 1: 'vst [s1], v1' writes VMEM row -5; there are 32768");
  // Far beyond the range of 32 bits.
  EXPECT_NE(verdict("s.mov s1, 0x7fffffff\nvld v1, [s1 + s1]\nhalt\n").find("row 4294967294;"), std::string::npos);
  // A mask chooses lanes: the row is touched all the same.
  EXPECT_NE(verdict("vld v1, [32768 : 0], vm1\nhalt\n").find("row 32768;"), std::string::npos);
}

TEST(Hazards, AStoreIsLoadedEightCyclesLaterAtTheEarliest) {
  expect_distance("vst [8], v1", 8, "vld v2, [15]",
                  "'vld v2, [15]' reads VMEM row 15, 1 cycle before what was stored there can be seen");
  EXPECT_EQ(verdict("vst [8], v1\nvld v2, [16]\nhalt\n"), "") << "other rows";
  EXPECT_EQ(verdict("{ vst [8], v1 ; vld v2, [8] }\nhalt\n"), "") << "in the same bundle the load is first";
  EXPECT_EQ(verdict("vst [8], v1\nfence\nvld v2, [8]\nhalt\n"), "");
}

const std::string transfers =
    ".dma in { route = hbm_to_vmem ; source = 0 ; destination = 1024 ; words = 1024 }\n"
    ".dma out { route = vmem_to_hbm ; source = 1024 ; destination = 4096 ; words = 1024 }\n";

TEST(Hazards, RowsThatADmaWritesAreLeftAloneUntilItsFlagIsUp) {
  const std::string by = " while DMA 'in' of bundle 0 (test.pasm:1) writes it";
  EXPECT_EQ(verdict("dma in\nvld v1, [0]\nvst [16], v2\nsync.wait 0, 1\nvld v1, [8]\nhalt\n" + transfers), "");
  EXPECT_EQ(verdict("dma in\nnop\nvld v1, [1]\nsync.wait 0, 1\nhalt\n" + transfers),
            "bundle 2 (test.pasm:3), cycle 2: 'vld v1, [1]' reads VMEM row 8" + by);
  EXPECT_EQ(verdict("dma in\nvst [15], v2\nsync.wait 0, 1\nhalt\n" + transfers),
            "bundle 1 (test.pasm:2), cycle 1: 'vst [15], v2' writes VMEM row 15" + by);
  // 4096 bytes from cycle 20 on have arrived in cycle 61 (40.96 cycles), and not in 60.
  EXPECT_EQ(verdict("dma in\n" + nops(60) + "vld v1, [8]\nsync.wait 0, 1\nhalt\n" + transfers), "");
  EXPECT_NE(verdict("dma in\n" + nops(59) + "vld v1, [8]\nsync.wait 0, 1\nhalt\n" + transfers).find("cycle 60:"),
            std::string::npos);
}

TEST(Hazards, RowsThatADmaReadsAreNotStoredTo) {
  EXPECT_EQ(verdict("dma out\nvld v1, [8]\nsync.wait 0, 1\nvst [8], v1\nhalt\n" + transfers), "");
  EXPECT_EQ(
      verdict("dma out\nvst [1], v1\nsync.wait 0, 1\nhalt\n" + transfers),
      "bundle 1 (test.pasm:2), cycle 1: 'vst [1], v1' writes VMEM row 8 while DMA 'out' of bundle 0 (test.pasm:1) "
      "reads it");
}

TEST(Hazards, ADmaReadsWhatCanBeSeen) {
  Pasm pasm;
  const std::string end = "\nsync.wait 0, 1\nhalt\n" + transfers;
  EXPECT_EQ(pasm.verdict("vst [8], v1\n" + nops(7) + "dma out" + end), "");
  EXPECT_EQ(
      pasm.verdict("vst [8], v1\n" + nops(6) + "dma out" + end),
      "bundle 7 (test.pasm:8), cycle 7: DMA 'out' reads VMEM row 8, 1 cycle before what was stored there can be seen; "
      "a fence waits for it");
  EXPECT_EQ(pasm.verdict("vst [8], v1\nfence\ndma out" + end), "");
  EXPECT_EQ(pasm.verdict("vst [0], v1\ndma out" + end), "") << "other rows";
}

// SMEM.

TEST(Hazards, SmemWordsExistAndAreNotInMotion) {
  EXPECT_EQ(verdict("s.load s1, [4095]\nhalt\n"), "");
  EXPECT_EQ(verdict("s.load s1, [4096]\nhalt\n"),
            "bundle 0 (test.pasm:1), cycle 0: 's.load s1, [4096]' reads SMEM word 4096; there are 4096");
  EXPECT_EQ(verdict("s.mov s1, -1\ns.store [s1], s1\nhalt\n"),
            "bundle 1 (test.pasm:2), cycle 1: 's.store [s1], s1' writes SMEM word -1; there are 4096");
  EXPECT_EQ(verdict("dma 4089\nhalt\n"),
            "bundle 0 (test.pasm:1), cycle 0: 'dma 4089' reads SMEM word 4096; there are 4096");
  const std::string moves =
      ".dma in, 0 { route = hbm_to_smem ; source = 0 ; destination = 64 ; words = 8 }\n"
      ".dma out, 8 { route = smem_to_hbm ; source = 64 ; destination = 0 ; words = 8 }\n";
  EXPECT_EQ(verdict("dma in\ns.load s1, [63]\ns.load s2, [72]\nsync.wait 0, 1\ns.load s3, [64]\nhalt\n" + moves), "");
  EXPECT_EQ(verdict("dma in\ns.load s1, [71]\nsync.wait 0, 1\nhalt\n" + moves),
            "bundle 1 (test.pasm:2), cycle 1: 's.load s1, [71]' reads SMEM word 71 while DMA 'in' of bundle 0 "
            "(test.pasm:1) moves it");
  EXPECT_EQ(verdict("dma out\ns.load s1, [64]\nsync.wait 0, 1\ns.store [64], s0\nhalt\n" + moves), "");
  EXPECT_NE(verdict("dma out\ns.store [64], s0\nsync.wait 0, 1\nhalt\n" + moves).find("writes SMEM word 64 while DMA"),
            std::string::npos);
}

// Units.

TEST(Hazards, APopNeedsSomethingOnItsWay) {
  const std::string text = verdict("e.exp v1\npop v2, eup\npop v3, eup\nhalt\n");
  EXPECT_TRUE(
      text.starts_with("bundle 2 (test.pasm:3), cycle 5: 'pop v3, eup' cannot be popped: transcendental unit: "))
      << text;
}

TEST(Hazards, APushThatWouldWaitForEverEndsTheRun) {
  std::string pushes;
  for (int i = 0; i < 8; ++i) pushes += "e.exp v1\n";  // as many as there are slots
  EXPECT_EQ(verdict(pushes + "halt\n"), "");
  const std::string text = verdict(pushes + "e.exp v1\nhalt\n");
  EXPECT_TRUE(text.starts_with(
      "bundle 8 (test.pasm:9), cycle 8: 'e.exp v1' waits for room that never comes: transcendental unit: "))
      << text;
}

TEST(Hazards, WeightsAreLatchedByTheTile) {
  const std::string text = verdict("mxu.weights mxu1, v1\nmxu.latch mxu1\nhalt\n");
  EXPECT_TRUE(text.starts_with("bundle 1 (test.pasm:2), cycle 1: 'mxu.latch mxu1' is not possible: matrix unit 1: "))
      << text;
}

TEST(Hazards, OneTranscendentalOperationIsPushedPerCycle) {
  EXPECT_EQ(verdict("{ @p1 e.exp v1 ; @!p1 e.log v1 }\nhalt\n"), "");
  EXPECT_EQ(verdict("{ e.exp v1 ; e.log v1 }\nhalt\n"),
            "bundle 0 (test.pasm:1), cycle 0: two operations are pushed to the transcendental unit in one cycle");
}

TEST(Hazards, AWordForTheScalarUnitIsPushedBeforeItIsPoppedAndOneIsPoppedPerCycle) {
  EXPECT_EQ(verdict("push.scalar v1\npush.scalar v1\n{ @p1 s.pop s1 ; @!p1 s.pop s2 }\nhalt\n"), "");
  const std::string empty = verdict("push.scalar v1\ns.pop s1\ns.pop s2\nhalt\n");
  EXPECT_TRUE(
      empty.starts_with("bundle 2 (test.pasm:3), cycle 11: 's.pop s2' cannot be popped: path to the scalar unit: "))
      << empty;
  EXPECT_EQ(verdict("push.scalar v1\npush.scalar v1\n{ s.pop s1 ; s.pop s2 }\nhalt\n"),
            "bundle 2 (test.pasm:3), cycle 2: two words are popped by the scalar unit in one cycle");
  std::string pushes;
  for (int i = 0; i < 16; ++i) pushes += "push.scalar v1\n";  // as many as there are slots
  EXPECT_EQ(verdict(pushes + "halt\n"), "");
  const std::string full = verdict(pushes + "push.scalar v1\nhalt\n");
  EXPECT_TRUE(
      full.starts_with("bundle 16 (test.pasm:17), cycle 16: 'push.scalar v1' waits for room that never comes: "
                       "path to the scalar unit: "))
      << full;
}

// Control, flags and the end.

TEST(Hazards, ExecutionStaysInWhatIsLoaded) {
  EXPECT_EQ(verdict("s.branch 100\nhalt\n"),
            "bundle 100, cycle 9: nothing is loaded at this address of instruction memory");
  EXPECT_EQ(verdict("nop\nend: nop\n"),
            "bundle 2 (end + 1), cycle 2: nothing is loaded at this address of instruction memory");
}

TEST(Hazards, FlagsExist) {
  EXPECT_EQ(verdict("sync.set 255, 1\nsync.wait 255, 1\nhalt\n"), "");
  EXPECT_EQ(verdict("sync.add 256, 1\nhalt\n"),
            "bundle 0 (test.pasm:1), cycle 0: 'sync.add 256, 1' uses flag 256; there are 256");
  EXPECT_EQ(verdict("s.mov s1, -1\nsync.wait s1, 1\nhalt\n"),
            "bundle 1 (test.pasm:2), cycle 1: 'sync.wait s1, 1' uses flag -1; there are 256");
}

TEST(Hazards, AWaitForWhatNothingRaisesIsADeadlock) {
  EXPECT_EQ(
      verdict("nop\nsync.wait 4, 1\nhalt\n"),
      "bundle 1 (test.pasm:2), cycle 1: deadlock: 'sync.wait 4, 1' waits until flag 4 is at least 1; it is 0, and no "
      "DMA in flight raises it so far");
  // One DMA raises it by one; the other is for another flag.
  const std::string two =
      ".dma in { route = hbm_to_vmem ; words = 8 ; source = 0 ; destination = 0 ; flag = 4 }\n"
      ".dma other { route = hbm_to_vmem ; words = 8 ; source = 0 ; destination = 128 ; flag = 5 }\n";
  EXPECT_EQ(verdict("dma in\ndma other\nsync.wait 4, 1\nsync.wait 5, 1\nhalt\n" + two), "");
  EXPECT_EQ(
      verdict("dma in\ndma other\nsync.wait 4, 2\nhalt\n" + two),
      "bundle 2 (test.pasm:3), cycle 2: deadlock: 'sync.wait 4, 2' waits until flag 4 is at least 2; it is 0, and no "
      "DMA in flight raises it so far");
}

TEST(Hazards, NothingMayBeInFlightAtTheHalt) {
  EXPECT_EQ(verdict("dma in\nnop\nhalt\n" + transfers),
            "bundle 2 (test.pasm:3), cycle 2: the program ends while DMA 'in' of bundle 0 (test.pasm:1) is in flight");
  // 61 is the cycle in which the flag goes up.
  EXPECT_EQ(verdict("dma in\n" + nops(60) + "halt\n" + transfers), "");
  EXPECT_NE(verdict("dma in\n" + nops(59) + "halt\n" + transfers), "");
}

}  // namespace
}  // namespace podsim::hw::bundle
