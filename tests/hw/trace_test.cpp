// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "hw/chip/tile_chip.h"
#include "tests/hw/recording_sink.h"
#include "tests/hw/scripted_runtime.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw {
namespace {

// round_machine: a cycle is a nanosecond, 100 B per cycle, latencies 20 and 10.
const TileOp& two_tiles() {
  static const TileOp op{"fusion.7",
                         {{2,
                           {{{base::Bytes(1000)}},
                            {TilePhase(VectorWork{94, 0, 0, 0}), TilePhase(CrossLaneWork{5})},
                            {{base::Bytes(500)}}}}},
                         base::Bytes(4096)};
  return op;
}

TEST(Trace, ShowsAnOpPassingThroughTheCore) {
  const Machine machine = round_machine();
  RecordingSink sink;
  ScriptedRuntime runtime({RunOp{&two_tiles()}});
  chip::TileChip chip("chip", machine, 0, runtime, {&sink, nullptr, "chip(0,0)"});
  sc_core::sc_start();
  const std::string core = "chip(0,0).core0.";
  // First data at 20, first tile there at 30; 100 cycles of vector work, 140 of cross-lane work, twice; last 500 B.
  EXPECT_EQ(sink.history(core + "op"), "@0 fusion.7@0 @525");
  EXPECT_EQ(sink.history(core + "state"), "idle@0 wait for reads@0 compute@30 drain@510 idle@525 done@525");
  EXPECT_EQ(sink.history(core + "vector.state"), "idle@0 run@30 idle@130 run@270 idle@370");
  EXPECT_EQ(sink.history(core + "cross_lane.state"), "idle@0 run@130 idle@270 run@370 idle@510");
  EXPECT_EQ(sink.history(core + "mxu0.state"), "idle@0");
  EXPECT_EQ(sink.history(core + "dma.read"), "idle@0 transfer@0 idle@40");
  EXPECT_EQ(sink.history(core + "dma.write"), "idle@0 transfer@270 idle@285 transfer@510 idle@525");
  EXPECT_EQ(sink.history(core + "hbm.read"), "0@0 1@20 0@40");
  EXPECT_EQ(sink.history(core + "sync.input0"), "0@0 1@30");
  EXPECT_EQ(sink.history(core + "vmem.used_bytes"), "0@0 4096@0 0@525");
}

TEST(Trace, NamesOpsThatShareTheirTilesAsTheProgramDoes) {
  const Machine machine = round_machine();
  RecordingSink sink;
  OpResult recorded;
  recorded.cycles = base::Cycles(9);
  ScriptedRuntime runtime({RunOp{&two_tiles(), "conv1"}, RunOp{&two_tiles(), "conv2"},
                           RunFor{&two_tiles(), recorded, "conv3"}, RunFor{&two_tiles(), recorded}});
  chip::TileChip chip("chip", machine, 0, runtime, {&sink, nullptr, "chip(0,0)"});
  sc_core::sc_start();
  EXPECT_EQ(sink.history("chip(0,0).core0.op"), "@0 conv1@0 @525 conv2@525 @1050 conv3@1050 @1059 fusion.7@1059 @1068");
}

TEST(Trace, DoesNotChangeWhatIsTraced) {
  const Machine machine = tpu_v3();
  RecordingSink sink;
  base::trace::Timeline timeline;
  ScriptedRuntime plain({RunOp{&two_tiles()}}), traced({RunOp{&two_tiles()}});
  chip::TileChip without("without", machine, 0, plain);
  chip::TileChip with("with", machine, 0, traced, {&sink, &timeline, "chip(0,0)"});
  sc_core::sc_start();
  EXPECT_EQ(plain.records()[0].op, traced.records()[0].op);
}

TEST(Trace, PutsOpsAndUnitsOnATimeline) {
  const Machine machine = round_machine();
  base::trace::Timeline timeline;
  OpResult recorded;
  recorded.cycles = base::Cycles(9);
  ScriptedRuntime runtime({RunOp{&two_tiles()}, Infeed{base::Bytes(1000), 1}, RunFor{&two_tiles(), recorded}});
  chip::TileChip chip("chip", machine, 0, runtime, {nullptr, &timeline, "chip(0,0)"});
  chip.host().prepare(0, {base::Bytes(1000)});
  sc_core::sc_start();
  std::ostringstream json;
  timeline.write_json(json);
  for (const char* part : {"fusion.7", "vector unit", "cross-lane unit", "sequencer", "infeed", "replayed op"}) {
    EXPECT_NE(json.str().find(part), std::string::npos) << part;
  }
}

TEST(Trace, ShowsTheInfeedAndTheHost) {
  const Machine machine = round_machine();
  RecordingSink sink;
  ScriptedRuntime runtime({Infeed{base::Bytes(16'000), 1}, External{0, "all-reduce"}});
  chip::TileChip chip("chip", machine, 0, runtime, {&sink, nullptr, "chip(0,0)"});
  chip.host().prepare(0, {base::Bytes(16'000)});
  sc_core::sc_start();
  // 1 us on the link at 16 GB/s, 1 us of latency; 94 cycles of copying at 172 GB/s and 1000 for the tensor.
  EXPECT_EQ(sink.history("chip(0,0).core0.infeed"), "idle@0 wait for batch@0 copy@2000 idle@3094");
  EXPECT_EQ(sink.history("chip(0,0).core0.op"), "@0 all-reduce@3094");
  EXPECT_EQ(sink.history("chip(0,0).host.state"), "idle@0 transfer@0 idle@2000 transfer@3094 idle@4094");
}

}  // namespace
}  // namespace podsim::hw
