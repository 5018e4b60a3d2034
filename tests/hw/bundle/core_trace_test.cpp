// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/core_trace.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/trace/vcd_writer.h"
#include "tests/hw/bundle/pasm.h"
#include "tests/hw/recording_sink.h"

namespace podsim::hw::bundle {
namespace {

/// A program that waits for a late DMA; at 1 GHz a cycle is a nanosecond.
const std::string late_dma =
    "mark \"fetch\"\n"
    "dma load_a\n"
    "nop\n"
    "sync.wait 3, 1\n"
    "{ vld v1, [0] ; mark \"use\" }\n"
    "halt\n"
    ".dma load_a { route = hbm_to_vmem ; source = 0 ; destination = 0 ; words = 1024 ; flag = 3 ; name = \"load A\" "
    "}\n";

struct CoreTraceTest : ::testing::Test {
  RecordingSink sink;
  Pasm pasm;
  void run(const std::string& text) {
    pasm.options.trace = {&sink, nullptr, "core0"};
    pasm.pass(text);
  }
  std::string history(const std::string& name) { return sink.history("core0." + name); }
};

/// Issued in cycle 1, the DMA's 4096 bytes move from cycle 21 until 62.
TEST_F(CoreTraceTest, ALateDmaIsNamedByTheWaitForItsFlag) {
  run(late_dma);
  EXPECT_EQ(history("state"), "run@0 wait flag 3 >= 1 (load A)@3 run@62 done@65");
  EXPECT_EQ(history("sync.flag3"), "0@0 1@62");
  EXPECT_EQ(history("dma.read"), "idle@0 load A@1 idle@62");
  EXPECT_EQ(history("dma.write"), "idle@0");
  EXPECT_EQ(history("dma.outstanding"), "0@0 1@1 0@62");
  EXPECT_EQ(history("hbm.read"), "0@0 1@21 0@62");
  EXPECT_EQ(history("mark"), "@0 fetch@0 use@63");
}

TEST_F(CoreTraceTest, SlotsShowWhatIssuesInThem) {
  run(late_dma);
  EXPECT_EQ(history("slots.misc"), "mark \"fetch\"@0 dma 0@1 @2 sync.wait 3, 1@62 mark \"use\"@63 halt@64 @65");
  EXPECT_EQ(history("slots.load"), "@0 vld v1, [0]@63 @64");
  EXPECT_EQ(history("pc"), "0@0 1@1 2@2 3@62 4@63 5@64");
}

TEST_F(CoreTraceTest, AnOperationThatIsNotPerformedStandsInParentheses) {
  run("{ @p1 s.mov s1, 1 ; @!p1 s.mov s2, 2 }\nhalt\n");
  EXPECT_EQ(history("slots.scalar0"), "(@p1 s.mov s1, 1)@0 @1");
  EXPECT_EQ(history("slots.scalar1"), "@!p1 s.mov s2, 2@0 @1");
}

TEST_F(CoreTraceTest, EveryWaitHasItsReason) {
  run("e.exp v1\npop v2, eup\nvst [0 : 8], v3\nfence\ns.branch end\nend: x.sum.lanes v1\npop v1, xlu\nhalt\n");
  // pop: cycle 4; store 12; fence 20; branch 21; push 30; pop 130; halt 131
  EXPECT_EQ(
      history("state"),
      "run@0 wait transcendental unit result@1 run@4 wait VMEM bank@5 run@12 wait fence@13 run@20 branch@22 run@30 "
      "wait cross-lane unit result@31 run@130 done@132");
  EXPECT_EQ(history("vmem_bank_stalls"), "0@0 7@12");
}

TEST_F(CoreTraceTest, UnitsShowTheirOwnRows) {
  run("e.exp v1\nnop\npop v2, eup\nhalt\n");
  EXPECT_EQ(history("transcendental.state"), "idle@0 e.exp@0 idle@1");
}

/// 48 of the first 64 cycles issue a scalar operation, none of the next.
TEST_F(CoreTraceTest, UseIsTheShareOf64Cycles) {
  struct LastReal : RecordingSink {
    void change(int id, base::Time now, double value) override { RecordingSink::change(id, now, value * 100); }
    using RecordingSink::change;
  } percent;
  pasm.options.trace = {&percent, nullptr, "core0"};
  std::string text;
  for (int i = 0; i < 48; ++i) text += "s.add s1, s1, 1\n";
  for (int i = 0; i < 100; ++i) text += "nop\n";
  pasm.pass(text + "halt\n");
  EXPECT_EQ(percent.history("core0.use.scalar0"), "0@0 75@64 0@128");
  EXPECT_EQ(percent.history("core0.use.scalar1"), "0@0");
}

TEST_F(CoreTraceTest, FlagsThatAreNamedByRegistersAreAllShown) {
  run("s.mov s1, 9\nsync.set s1, 4\nhalt\n");
  EXPECT_EQ(history("sync.flag9"), "0@0 4@1");
  EXPECT_EQ(history("sync.flag255"), "0@0");
}

TEST_F(CoreTraceTest, ARunThatFailsEndsInThatState) {
  pasm.options.trace = {&sink, nullptr, "core0"};
  EXPECT_NE(pasm.verdict("nop\npop v1, eup\nhalt\n"), "");
  EXPECT_EQ(history("state"), "run@0 failed@1");
}

/// The second push would wait for room in the unit, but the pop in the same bundle can never succeed.
TEST_F(CoreTraceTest, ARunThatFailsIsNotShownToWait) {
  pasm.options.trace = {&sink, nullptr, "core0"};
  EXPECT_NE(pasm.verdict("x.sum.lanes v1\n{ x.sum.lanes v1 ; pop v1, eup }\nhalt\n"), "");
  EXPECT_EQ(history("state"), "run@0 failed@1");
}

TEST_F(CoreTraceTest, TheTimelineHasMarksWaitsAndTransfers) {
  base::trace::Timeline timeline;
  pasm.options.trace = {nullptr, &timeline, "core0"};
  pasm.pass(late_dma);
  std::ostringstream out;
  timeline.write_json(out);
  for (const char* name : {"\"fetch\"", "\"use\"", "\"wait flag 3 >= 1 (load A)\"", "\"load A\""}) {
    EXPECT_NE(out.str().find(name), std::string::npos) << name;
  }
}

/// Many things at once. VcdWriter refuses changes that are not in the order of time.
TEST(TracedRun, ShowsChangesInTheOrderOfTimeAndTakesAsLong) {
  const std::string text =
      "{ s.mov s1, 3 ; dma load }\n"
      "again: { vld v1, [s2] ; e.exp v3 ; x.sum.lanes v3 }\n"
      "{ mxu.weights mxu0, v3 ; pop v4, eup }\n"
      "{ mxu.weights mxu1, v3 ; vst [512 : 8], v3 }\n"
      "nop\n"
      "{ v.add.f32 v2, v1, v1 ; pop v5, xlu }\n"
      "{ dma store ; s.add s2, s2, 8 ; s.add s3, s3, 1 }\n"
      "{ sync.wait 1, s3 ; s.loop s1, again }\n"
      "sync.wait 0, 1\n"
      "halt\n"
      ".dma load { route = hbm_to_vmem ; source = 0 ; destination = 65536 * 4 ; words = 40000 ; flag = 0 }\n"
      ".dma store { route = vmem_to_hbm ; source = 1024 * 64 ; destination = 100000 ; words = 8 ; flag = 1 }\n";
  for (const matrix::MatrixUnitView view : {matrix::MatrixUnitView::event, matrix::MatrixUnitView::rows}) {
    Pasm silent, traced;
    silent.options.matrix_view = traced.options.matrix_view = view;
    std::ostringstream vcd;
    base::trace::VcdWriter writer(vcd, {});
    base::trace::Timeline timeline;
    traced.options.trace = {&writer, &timeline, "core0"};
    const BundleRunResult result = traced.pass(text);
    writer.finish(result.end);
    const BundleRunResult expected = silent.pass(text);
    EXPECT_EQ(result.cycles, expected.cycles);
    EXPECT_EQ(result.stalls, expected.stalls);
    EXPECT_EQ(result.hbm_busy, expected.hbm_busy);
    EXPECT_GT(vcd.str().size(), 1000u);
  }
}

}  // namespace
}  // namespace podsim::hw::bundle
