// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/bundle_dma.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/hw/bundle/pasm.h"

namespace podsim::hw::bundle {
namespace {

/// One DMA and the wait for it; the bundles take cycles 0, the DMA's end, and the one after.
std::string one(const std::string& descriptor, const std::string& data = "") {
  return "dma it\nsync.wait 0, 1\nhalt\n.dma it { " + descriptor + " }\n" + data;
}

// Data.

TEST(BundleDma, BringsRowsApartInHbmToRowsApartInVmem) {
  Pasm pasm;
  pasm.pass(
      one("route = hbm_to_vmem ; source = a + 1 ; destination = 130 ; words = 3 ; rows = 4 ; source_stride = 10\n"
          "destination_stride = 128",
          ".hbm a\n .iota word, 64\n"
          ".vmem v\n .fill word, 1024, 7\n"
          ".expect vmem, 128\n"
          " .word 7, 7, 1, 2, 3, 7\n .fill word, 122, 7\n .word 7, 7, 11, 12, 13, 7\n .fill word, 122, 7\n"
          " .word 7, 7, 21, 22, 23, 7\n .fill word, 122, 7\n .word 7, 7, 31, 32, 33, 7\n"));
}

TEST(BundleDma, StoresRowsOfVmemApartInHbm) {
  Pasm pasm;
  pasm.pass(
      one("route = vmem_to_hbm ; source = 2 ; destination = out + 1 ; words = 2 ; rows = 3 ; source_stride = 5\n"
          "destination_stride = 4",
          ".vmem v\n .iota word, 32\n"
          ".hbm out\n .fill word, 12, 99\n"
          ".expect hbm, out\n .word 99, 2, 3, 99, 99, 7, 8, 99, 99, 12, 13, 99\n"));
}

TEST(BundleDma, ASourceStrideOfZeroRepeatsARow) {
  Pasm pasm;
  pasm.pass(
      one("route = hbm_to_vmem ; source = a ; destination = 0 ; words = 2 ; rows = 3 ; source_stride = 0\n"
          "destination_stride = 2",
          ".hbm a\n .word 4, 5\n.expect vmem, 0\n .word 4, 5, 4, 5, 4, 5, 0\n"));
}

TEST(BundleDma, CopiesWithinHbmAndToAndFromSmem) {
  Pasm pasm;
  pasm.pass(
      "dma copy\nsync.wait 0, 1\ndma fetch\nsync.wait 0, 2\ndma save\nsync.wait 0, 3\nhalt\n"
      ".hbm a, 0\n .iota word, 8, 10\n"
      ".dma copy { route = hbm_to_hbm ; source = a ; destination = 0x4000 ; words = 8 }\n"
      ".dma fetch { route = hbm_to_smem ; source = 0x4002 ; destination = 512 ; words = 4 }\n"
      ".dma save { route = smem_to_hbm ; source = 512 ; destination = 0x8000 ; words = 4 }\n"
      ".expect hbm, 0x4000\n .iota word, 8, 10\n"
      ".expect smem, 512\n .iota word, 4, 12\n"
      ".expect hbm, 0x8000\n .iota word, 4, 12\n");
}

TEST(BundleDma, MovesDataWhenItCompletesAndNotBefore) {
  Pasm pasm;
  // Reads HBM into VMEM, while a second DMA, later in the queue, overwrites the data that were read.
  pasm.pass(
      "dma in\nsync.wait 0, 1\ndma out\nsync.wait 1, 1\nhalt\n"
      ".hbm a\n .fill word, 8, 1\n.vmem v, 1024\n .fill word, 8, 2\n"
      ".dma in { route = hbm_to_vmem ; source = a ; destination = 0 ; words = 8 }\n"
      ".dma out { route = vmem_to_hbm ; source = 1024 ; destination = a ; words = 8 ; flag = 1 }\n"
      ".expect vmem, 0\n .fill word, 8, 1\n.expect hbm, a\n .fill word, 8, 2\n");
}

TEST(BundleDma, ADescriptorIsReadWhenItIsIssued) {
  Pasm pasm;
  pasm.pass(
      "s.mov s1, 256\n"
      "{ dma it ; s.store [it + 2], s1 }\n"
      "dma it\nsync.wait 0, 2\nhalt\n"
      ".hbm a\n .word 5\n"
      ".dma it { route = hbm_to_vmem ; source = a ; destination = 0 ; words = 1 }\n"
      ".expect vmem, 0\n .word 5\n.expect vmem, 256\n .word 5\n");
}

// Overlays.

TEST(BundleDma, OverlaysRunWhereTheyWereBrought) {
  Pasm pasm;
  pasm.pass(
      "dma fetch\nsync.wait 0, 1\ns.branch there\n"
      "back: s.store [0], s1\nhalt\n"
      ".smem answer, 0\n .word 0\n"
      ".dma fetch, 8 { route = hbm_to_imem ; source = late.image ; destination = there ; words = late.words }\n"
      ".overlay late, 500\nthere: s.mov s1, 42\ns.branch back\n"
      ".expect smem, 0\n .word 42\n");
}

TEST(BundleDma, AnOverlayMayBeCutIntoPieces) {
  Pasm pasm;
  pasm.pass(
      "dma fetch\nsync.wait 0, 1\ns.branch 600\n"
      "back: s.store [0], s1\nhalt\n"
      ".dma fetch, 8 { route = hbm_to_imem ; source = late.image ; destination = 600 ; words = 12 ; rows = 3\n"
      "  source_stride = 24 ; destination_stride = 1 }\n"
      ".overlay late, 1000\ns.mov s1, 40\nhalt\ns.add s1, s1, 2\nhalt\ns.branch back\n"
      ".expect smem, 0\n .word 42\n");
}

TEST(BundleDma, CodeInAnOverlayHasItsLines) {
  Pasm pasm;
  EXPECT_EQ(
      pasm.verdict("dma fetch\nsync.wait 0, 1\ns.branch 64\n"
                   ".dma fetch { route = hbm_to_imem ; source = late.image ; destination = 64 ; words = late.words }\n"
                   ".overlay late, 64\nnop\npop v1, eup\nhalt\n")
          .substr(0, 24),
      "bundle 65 (test.pasm:7),");
}

TEST(BundleDma, CodeThatIsAboutToBeReplacedDoesNotRun) {
  Pasm pasm;
  EXPECT_EQ(pasm.verdict("dma fetch\nnop\nhalt\n"
                         ".dma fetch { route = hbm_to_imem ; source = 0 ; destination = 2 ; words = 12 }\n"),
            "bundle 2 (test.pasm:3), cycle 2: nothing is loaded at this address of instruction memory");
}

/// 48 bytes, rounded up to two bursts of 32, have arrived after cycle 20.
TEST(BundleDma, WordsThatAreNoBundleAreNotLoaded) {
  Pasm pasm;
  EXPECT_EQ(pasm.verdict("dma fetch\nsync.wait 0, 1\nnop\nhalt\n"
                         ".hbm junk, 0\n .fill word, 12, -1\n"
                         ".dma fetch { route = hbm_to_imem ; source = 0 ; destination = 3 ; words = 12 }\n"),
            "bundle 3, cycle 23: nothing is loaded at this address of instruction memory");
}

// Time.

/// The flag of a single DMA is raised when all bytes have moved by HbmStream.
RC_GTEST_PROP(BundleDma, LastsAsLongAsTheStreamTakes, ()) {
  const auto words = *rc::gen::inRange(1, 400);
  const auto rows = *rc::gen::inRange(1, 30);
  const bool reads = *rc::gen::arbitrary<bool>();
  Pasm pasm;
  const BundleRunResult result =
      pasm.pass(one(fmt::format("route = {} ; source = 0 ; destination = 0 ; words = {} ; rows = {}",
                                reads ? "hbm_to_vmem" : "vmem_to_hbm", words, rows)));
  timing::HbmStream stream(pasm.machine);
  const base::Bytes bytes((words * 4 + 31) / 32 * 32 * rows);
  stream.submit(reads ? Direction::read : Direction::write, bytes,
                reads ? pasm.machine.dma.read_latency : pasm.machine.dma.write_latency, 0);
  RC_ASSERT(result.cycles == *stream.next_completion() + base::Cycles(2));
  RC_ASSERT((reads ? result.hbm_read : result.hbm_written) == bytes);
  RC_ASSERT((reads ? result.hbm_written : result.hbm_read) == base::Bytes(0));
  RC_ASSERT(result.dmas == 1);
}

/// 3200 bytes are read from cycle 20 to 52, then written: from 62 to 94.
TEST(BundleDma, ACopyWithinHbmReadsAndThenWrites) {
  Pasm pasm;
  const BundleRunResult result = pasm.pass(one("route = hbm_to_hbm ; source = 0 ; destination = 4096 ; words = 800"));
  EXPECT_EQ(result.cycles, base::Cycles(94 + 2));
  EXPECT_EQ(result.hbm_read, base::Bytes(3200));
  EXPECT_EQ(result.hbm_written, base::Bytes(3200));
  EXPECT_NEAR(double(result.hbm_busy.value()), 64, 1);  // whole cycles, rounded down
}

/// 3200 bytes in each direction at once cost (1 + 1 + 0.4) * 3200 / 100 cycles from the time that both move: the write
/// arrives in cycle 11, the read in 20. By then 900 bytes are written; of what is left, both share the bus until the
/// write's other 2300 bytes are over after 2.4 * 23 = 55.2 cycles; the read's last 900 take 9 more: 84.2.
TEST(BundleDma, ReadsAndWritesShareTheHbm) {
  Pasm pasm;
  const BundleRunResult result = pasm.pass(
      "dma in\ndma out\nsync.wait 0, 2\nhalt\n"
      ".dma in { route = hbm_to_vmem ; source = 0 ; destination = 0 ; words = 800 }\n"
      ".dma out { route = vmem_to_hbm ; source = 4096 ; destination = 4096 ; words = 800 }\n");
  EXPECT_EQ(result.cycles, base::Cycles(85 + 2));
}

TEST(BundleDma, AnEmptyTransferOnlyTakesItsLatency) {
  Pasm pasm;
  EXPECT_EQ(pasm.cycles(one("route = hbm_to_vmem ; source = 0 ; destination = 0 ; words = 0")), 20 + 2);
  EXPECT_EQ(pasm.cycles(one("route = vmem_to_hbm ; source = 0 ; destination = 0 ; words = 4 ; rows = 0")), 10 + 2);
}

// Refused descriptors.

std::string refusal(const std::string& descriptor) {
  Pasm pasm;
  const std::string verdict = pasm.verdict(one(descriptor));
  const std::string prefix = "bundle 0 (test.pasm:1), cycle 0: DMA 'it' ";
  EXPECT_TRUE(verdict.starts_with(prefix)) << verdict;
  return verdict.substr(std::min(verdict.size(), prefix.size()));
}

TEST(BundleDma, RefusesWhatLiesOutsideOfAMemory) {
  EXPECT_EQ(refusal("route = hbm_to_vmem ; source = 0 ; destination = 4194303 ; words = 2"),
            "writes VMEM up to word 4194304; there are 4194304");
  EXPECT_EQ(
      refusal("route = vmem_to_hbm ; source = 4194300 ; destination = 0 ; words = 1 ; rows = 3 ; source_stride = 2"),
      "reads VMEM up to word 4194304; there are 4194304");
  EXPECT_EQ(refusal("route = hbm_to_vmem ; source = 0xffffffff ; destination = 0 ; words = 2"),
            "reads HBM up to word 4294967296; there are 4294967296");
  EXPECT_EQ(refusal("route = hbm_to_smem ; source = 0 ; destination = 4090 ; words = 8"),
            "writes SMEM up to word 4097; there are 4096");
  EXPECT_EQ(refusal("route = hbm_to_imem ; source = 0 ; destination = 65535 ; words = 24"),
            "writes instruction memory up to bundle 65536; there are 65536");
}

TEST(BundleDma, RefusesDescriptorsThatMeanNothing) {
  EXPECT_EQ(refusal("route = hbm_to_vmem ; source = 0 ; destination = 0 ; words = 2 ; flag = 256"),
            "raises flag 256; there are 256");
  EXPECT_EQ(refusal("route = hbm_to_imem ; source = 0 ; destination = 64 ; words = 13"),
            "brings rows of 13 words to instruction memory; a bundle has 12");
  EXPECT_EQ(
      refusal("route = hbm_to_vmem ; source = 0 ; destination = 0 ; words = 8 ; rows = 2 ; destination_stride = 7"),
      "writes rows of 8 words that are only 7 apart");
  Pasm pasm;
  EXPECT_EQ(pasm.verdict("dma 0\nhalt\n.smem d\n .word 6, 0, 0, 0, 0, 0, 0, 0\n"),
            "bundle 0 (test.pasm:1), cycle 0: DMA 'to flag 0' has route 6, which does not exist");
}

/// The error of the second of two DMAs; empty if both may be in flight at the same time.
std::string conflict(const std::string& first, const std::string& second) {
  Pasm pasm;
  const std::string verdict =
      pasm.verdict("dma a\ndma b\nsync.wait 0, 2\nhalt\n.dma a { " + first + " }\n.dma b { " + second + " }\n");
  if (verdict.empty()) return "";
  const std::string prefix = "bundle 1 (test.pasm:2), cycle 1: DMA 'b' ";
  EXPECT_TRUE(verdict.starts_with(prefix)) << verdict;
  return verdict.substr(std::min(verdict.size(), prefix.size()));
}

TEST(BundleDma, RefusesTransfersWhoseOutcomeWouldDependOnTheirOrder) {
  const std::string in = "route = hbm_to_vmem ; source = 0 ; destination = 1000 ; words = 100";
  const std::string a = "DMA 'a' of bundle 0 (test.pasm:1)";
  EXPECT_EQ(conflict(in, "route = hbm_to_vmem ; source = 0 ; destination = 1099 ; words = 9"),
            "writes VMEM that " + a + " writes too");
  EXPECT_EQ(conflict(in, "route = hbm_to_vmem ; source = 0 ; destination = 1100 ; words = 9"), "");
  EXPECT_EQ(conflict(in, "route = vmem_to_hbm ; source = 991 ; destination = 4096 ; words = 10"),
            "reads VMEM that " + a + " still writes");
  EXPECT_EQ(conflict(in, "route = vmem_to_hbm ; source = 991 ; destination = 4096 ; words = 9"), "");
  EXPECT_EQ(conflict(in, "route = vmem_to_hbm ; source = 0 ; destination = 99 ; words = 10"),
            "writes HBM that " + a + " still reads");
  EXPECT_EQ(conflict(in, "route = vmem_to_hbm ; source = 0 ; destination = 100 ; words = 10"), "");
  EXPECT_EQ(conflict("route = hbm_to_hbm ; source = 0 ; destination = 100 ; words = 100",
                     "route = hbm_to_smem ; source = 199 ; destination = 512 ; words = 1"),
            "reads HBM that " + a + " still writes");
}

}  // namespace
}  // namespace podsim::hw::bundle
