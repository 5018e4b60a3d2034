// SPDX-License-Identifier: Apache-2.0
#include "base/trace/vcd_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/diagnostic.h"
#include "tests/base/vcd_reader.h"

namespace podsim::base::trace {
namespace {

using Changes = std::vector<std::pair<std::int64_t, std::string>>;

TEST(VcdWriter, WritesWhatAnIndependentReaderReads) {
  std::ostringstream out;
  VcdWriter writer(out, {});
  Probe<bool> busy(&writer, "chip(0,0).core0.mxu0", "busy");
  Probe<std::string> state(&writer, "chip(0,0).core0.mxu0", "state");
  Probe<std::int64_t> depth(&writer, "chip(0,0).core0.dma", "depth", 8);
  Probe<double> rate(&writer, "chip(0,0).hbm", "rate");
  busy.set(Time(0), true);
  state.set(Time(0), "push rows");
  depth.set(Time(1064), 5);
  depth.set(Time(2128), -1);
  rate.set(Time(2128), 411.8e9);
  state.set(Time(3000), "a\\b");
  busy.set(Time(3000), false);
  writer.finish(Time(4000));

  VcdContent content = read_vcd(out.str());
  EXPECT_EQ(content.timescale, "1ps");
  EXPECT_EQ(content.end, 4000);
  ASSERT_EQ(content.signals.size(), 4U);
  EXPECT_EQ(content.signals.at("chip(0,0).core0.mxu0.busy").changes, (Changes{{0, "x"}, {0, "1"}, {3000, "0"}}));
  EXPECT_EQ(content.signals.at("chip(0,0).core0.mxu0.state").changes,
            (Changes{{0, "s"}, {0, "spush\\040rows"}, {3000, "sa\\134b"}}));
  EXPECT_EQ(content.signals.at("chip(0,0).core0.mxu0.state").type, "string");
  EXPECT_EQ(content.signals.at("chip(0,0).core0.dma.depth[7:0]").changes,
            (Changes{{0, "bx"}, {1064, "b101"}, {2128, "b11111111"}}));
  EXPECT_EQ(content.signals.at("chip(0,0).core0.dma.depth[7:0]").size, "8");
  EXPECT_EQ(content.signals.at("chip(0,0).hbm.rate").changes, (Changes{{0, "rnan"}, {2128, "r411800000000"}}));
}

TEST(VcdWriter, GivesTheSameBytesForTheSameChanges) {
  auto trace = [] {
    std::ostringstream out;
    VcdWriter writer(out, {"*"});
    Probe<bool> wire(&writer, "a", "b");
    wire.set(Time(7), true);
    writer.finish(Time(9));
    return out.str();
  };
  EXPECT_EQ(trace(), trace());
  EXPECT_EQ(trace(),
            "$version podsim $end\n$timescale 1 ps $end\n$scope module a $end\n$var wire 1 ! b $end\n$upscope $end\n"
            "$enddefinitions $end\n#0\n$dumpvars\nx!\n$end\n#7\n1!\n#9\n");
}

TEST(VcdWriter, TracesOnlyWhatIsAskedFor) {
  std::ostringstream out;
  VcdWriter writer(out, {"chip(0,0).*", "*.mxu0.state", "chip(7,7).*"});
  Probe<bool> here(&writer, "chip(0,0).core0", "busy");
  Probe<std::string> far(&writer, "chip(1,0).core0.mxu0", "state");
  Probe<bool> silent(&writer, "chip(1,0).core0", "busy");
  EXPECT_TRUE(here.active());
  EXPECT_TRUE(far.active());
  EXPECT_FALSE(silent.active());
  EXPECT_EQ(writer.signals().size(), 2U);
  EXPECT_EQ(writer.unmatched_patterns(), std::vector<std::string>{"chip(7,7).*"});
}

TEST(VcdWriter, AProbeWritesAChangeOnce) {
  std::ostringstream out;
  VcdWriter writer(out, {});
  Probe<std::int64_t> value(&writer, "a", "b", 4);
  for (int time : {1, 2, 3}) value.set(Time(time), 0);
  value.set(Time(4), 1);
  writer.finish(Time(4));
  EXPECT_EQ(read_vcd(out.str()).signals.at("a.b[3:0]").changes, (Changes{{0, "bx"}, {1, "b0"}, {4, "b1"}}));
}

TEST(VcdWriter, NestsScopesThatComeBackLater) {
  std::ostringstream out;
  VcdWriter writer(out, {});
  writer.declare("a.b", "first", SignalKind::wire, 1);
  writer.declare("c", "second", SignalKind::wire, 1);
  writer.declare("a.b", "third", SignalKind::wire, 1);
  writer.declare("a", "with.dot", SignalKind::wire, 1);
  writer.declare("", "top level", SignalKind::wire, 1);
  writer.finish(Time(1));
  VcdContent content = read_vcd(out.str());
  for (const char* name : {"a.b.first", "c.second", "a.b.third", "a.with.dot", "top_level"}) {
    EXPECT_TRUE(content.signals.contains(name)) << name;
  }
  EXPECT_EQ(out.str().find("$scope module b"), out.str().rfind("$scope module b"));
}

TEST(VcdWriter, IdentifiersStayUniqueByTheThousand) {
  std::ostringstream out;
  VcdWriter writer(out, {});
  for (int i = 0; i < 20000; ++i) writer.declare("s", "n" + std::to_string(i), SignalKind::wire, 1);
  writer.finish(Time(1));
  EXPECT_EQ(read_vcd(out.str()).signals.size(), 20000U);
}

TEST(VcdWriter, RefusesTimeThatRunsBackwards) {
  std::ostringstream out;
  VcdWriter writer(out, {});
  Probe<bool> wire(&writer, "a", "b");
  wire.set(Time(5), true);
  EXPECT_THROW(wire.set(Time(4), false), std::logic_error);
  EXPECT_THROW(writer.declare("a", "c", SignalKind::wire, 1), std::logic_error);
}

TEST(VcdWriter, RefusesWidthsThatNoValueHas) {
  std::ostringstream out;
  VcdWriter writer(out, {});
  EXPECT_THROW(writer.declare("a", "b", SignalKind::integer, 65), std::logic_error);
  EXPECT_THROW(writer.declare("a", "b", SignalKind::integer, 0), std::logic_error);
}

TEST(VcdWriter, LeavesNoFileWithoutFinish) {
  std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "vcd_writer_leaves_no_file";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  {
    VcdWriter writer(folder / "a.vcd", {});
    Probe<bool> wire(&writer, "a", "b");
    wire.set(Time(5), true);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  {
    VcdWriter writer(folder / "a.vcd", {});
    writer.finish(Time(1));
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "a.vcd"));
  std::filesystem::remove_all(folder);
}

TEST(VcdWriter, SaysWhenItsFileCannotBeWritten) { EXPECT_THROW(VcdWriter("/nonexistent/a.vcd", {}), InputError); }

RC_GTEST_PROP(VcdWriter, BinaryValuesReadBackAsTheLowBits, (std::int64_t value)) {
  int bits = *rc::gen::inRange(2, 65);
  std::ostringstream out;
  VcdWriter writer(out, {});
  int id = writer.declare("a", "b", SignalKind::integer, bits);
  writer.change(id, Time(1), value);
  writer.finish(Time(1));
  VcdContent content = read_vcd(out.str());
  const std::string& written = content.signals.begin()->second.changes.back().second;
  std::uint64_t low = bits == 64 ? std::uint64_t(value) : std::uint64_t(value) % (std::uint64_t(1) << bits);
  RC_ASSERT(std::stoull(written.substr(1), nullptr, 2) == low);
}

}  // namespace
}  // namespace podsim::base::trace
