// SPDX-License-Identifier: Apache-2.0
#include "base/trace/gtkw_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "base/trace/vcd_writer.h"
#include "tests/base/vcd_reader.h"

namespace podsim::base::trace {
namespace {

struct SaveFile {
  std::vector<std::string> signals;  ///< full names
  std::vector<std::string> groups;   ///< full names of the groups; those not unfolded in brackets
  double zoom = 0;
};

SaveFile read_gtkw(const std::string& text) {
  SaveFile save;
  std::string flags;
  std::vector<std::string> open;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line[0] == '@') flags = line.substr(1);
    if (line[0] == '+') save.signals.push_back(line.substr(line.find("} ") + 2));
    // Flags of GTKWave's analyzer.h: group begin (bit 23) and end (24), closed (22).
    unsigned bits = flags.empty() ? 0 : unsigned(std::stoul(flags, nullptr, 16));
    if (line[0] == '-' && (bits >> 23 & 1) != 0) {
      open.push_back(open.empty() ? line.substr(1) : open.back() + "." + line.substr(1));
      save.groups.push_back((bits >> 22 & 1) != 0 ? "[" + open.back() + "]" : open.back());
    }
    if (line[0] == '-' && (bits >> 24 & 1) != 0) open.pop_back();
    EXPECT_TRUE(line[0] != '+' || open.empty() || save.signals.back().starts_with(open.back() + ".")) << line;
    if (line[0] == '*') save.zoom = std::stod(line.substr(1));
  }
  EXPECT_TRUE(open.empty());
  return save;
}

TEST(GtkwWriter, NamesEverySignalOfTheTraceOnceGroupedByScope) {
  std::ostringstream out;
  VcdWriter writer(out, {});
  writer.declare("chip(0,0).core0.mxu0", "state", SignalKind::text, 1);
  writer.declare("chip(0,0).core0.dma", "depth", SignalKind::integer, 16);
  writer.declare("chip(0,0).core0.mxu0", "busy", SignalKind::wire, 1);
  writer.declare("chip(0,0).core0.dma", "single", SignalKind::integer, 1);
  writer.declare("chip(0,0).hbm", "rate", SignalKind::real, 64);
  writer.declare("", "step", SignalKind::integer, 32);
  writer.finish(Time(1000));

  SaveFile save = read_gtkw(gtkw_text("a.vcd", writer.signals(), Time(1000)));
  std::set<std::string> declared, named(save.signals.begin(), save.signals.end());
  for (const auto& [name, signal] : read_vcd(out.str()).signals) declared.insert(name);
  EXPECT_EQ(named, declared);
  EXPECT_EQ(save.signals.size(), declared.size());
  EXPECT_EQ(save.groups, (std::vector<std::string>{"chip(0,0)", "chip(0,0).core0", "chip(0,0).core0.mxu0",
                                                   "chip(0,0).core0.dma", "chip(0,0).hbm"}));
}

TEST(GtkwWriter, FollowsTheReadingOrderAndUnfoldsOneOfAKind) {
  const SignalKind wire = SignalKind::wire;
  std::vector<TracedSignal> signals{
      {"chip(0,0).host", "busy", wire, 1},        {"chip(0,0).core0.mxu0", "busy", wire, 1},
      {"chip(0,0).core0.mxu1", "busy", wire, 1},  {"chip(0,0).core0.dma", "write", wire, 1},
      {"chip(0,0).core0.dma", "read", wire, 1},   {"chip(0,0).core1.dma", "read", wire, 1},
      {"chip(0,0).core0", "infeed", wire, 1},     {"chip(0,0).core0", "op", wire, 1},
      {"chip(1,0).core0.mxu12", "busy", wire, 1},
  };
  SaveFile save = read_gtkw(gtkw_text("a.vcd", signals, Time(1), {{"op", "dma", "mxu", "core"}, {}, {}, {}}));
  EXPECT_EQ(save.groups,
            (std::vector<std::string>{"chip(0,0)", "chip(0,0).core0", "chip(0,0).core0.dma", "chip(0,0).core0.mxu0",
                                      "[chip(0,0).core0.mxu1]", "[chip(0,0).core1]", "chip(0,0).core1.dma",
                                      "chip(0,0).host", "[chip(1,0)]", "chip(1,0).core0", "chip(1,0).core0.mxu12"}));
  EXPECT_EQ(save.signals, (std::vector<std::string>{
                              "chip(0,0).core0.op", "chip(0,0).core0.infeed", "chip(0,0).core0.dma.write",
                              "chip(0,0).core0.dma.read", "chip(0,0).core0.mxu0.busy", "chip(0,0).core0.mxu1.busy",
                              "chip(0,0).core1.dma.read", "chip(0,0).host.busy", "chip(1,0).core0.mxu12.busy"}));
}

TEST(GtkwWriter, ShowsTheWholeTraceAtAnyLength) {
  for (std::int64_t end : {1, 1000, 131'100'000}) {
    // 200 pixels show 2^-zoom time units; the window is 1600 pixels wide, the names take 220.
    double pixels = double(end) * 200 * std::exp2(read_gtkw(gtkw_text("a.vcd", {}, Time(end))).zoom);
    EXPECT_GT(pixels, 0.75 * (1600 - 220));
    EXPECT_LT(pixels, 1600 - 220);
  }
  EXPECT_TRUE(std::isfinite(read_gtkw(gtkw_text("a.vcd", {}, Time(0))).zoom));
}

TEST(GtkwWriter, ShowsTextAsText) {
  std::string text = gtkw_text("a.vcd", {{"s", "state", SignalKind::text, 1}}, Time(1));
  EXPECT_NE(text.find("@820\n+{state} s.state\n"), std::string::npos);
}

// Flags of GTKWave's analyzer.h: step (bit 15), full scale (19), real (18), signed (10), right justified (5).
TEST(GtkwWriter, ShowsRealsAndAmountsAsCurvesOnAFixedScale) {
  EXPECT_NE(
      gtkw_text("a.vcd", {{"s", "rate", SignalKind::real, 64}}, Time(1)).find("@c8020\n+{rate} s.rate\n@20000\n-\n-\n"),
      std::string::npos);
  EXPECT_NE(gtkw_text("a.vcd", {{"s", "used_bytes", SignalKind::integer, 32}}, Time(1))
                .find("@88420\n+{used_bytes} s.used_bytes[31:0]\n@20000\n-\n"),
            std::string::npos);
}

TEST(GtkwWriter, ShowsChosenIntegersAsCurvesToo) {
  GtkwView view;
  view.curves = {"in_unit"};
  std::string text =
      gtkw_text("a.vcd", {{"s", "in_unit", SignalKind::integer, 8}, {"s", "n", SignalKind::integer, 8}}, Time(1), view);
  EXPECT_NE(text.find("@88420\n+{in_unit} s.in_unit[7:0]\n@20000\n-\n"), std::string::npos) << text;
  EXPECT_NE(text.find("@420\n+{n} s.n[7:0]\n@"), std::string::npos) << text;
}

// A colour precedes each signal that has it, and no others.
TEST(GtkwWriter, ColoursTheSignalsOfAScope) {
  GtkwView view;
  view.colors = {{"mxu", GtkwColor::orange}};
  std::string text = gtkw_text(
      "a.vcd", {{"core.mxu0", "busy", SignalKind::wire, 1}, {"core", "busy", SignalKind::wire, 1}}, Time(1), view);
  EXPECT_NE(text.find("[color] 2\n@28\n+{busy} core.mxu0.busy\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("[color]"), text.rfind("[color]")) << text;
}

TEST(GtkwWriter, PlacesNamedMarkersFromAToZ) {
  GtkwView view;
  for (int i = 0; i < 30; ++i) view.markers.push_back({"m" + std::to_string(i), Time(10 * i)});
  std::string text = gtkw_text("a.vcd", {}, Time(1), view);
  EXPECT_NE(text.find(" -1 0 10 20 "), std::string::npos) << text;
  EXPECT_NE(text.find(" 240 250\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[markername] Am0\n[markername] Bm1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[markername] Zm25\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("m26"), std::string::npos) << text;
}

}  // namespace
}  // namespace podsim::base::trace
