// SPDX-License-Identifier: Apache-2.0
#include "base/gtkw_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "base/vcd_writer.h"
#include "vcd_reader.h"

namespace podsim::base {
namespace {

struct SaveFile {
  std::vector<std::string> signals, groups_opened, groups_closed;
  double zoom = 0;
};

SaveFile read_gtkw(const std::string& text) {
  SaveFile save;
  std::string flags;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line[0] == '@') flags = line.substr(1);
    if (line[0] == '+') save.signals.push_back(line.substr(line.find("} ") + 2));
    if (line[0] == '-' && flags == "800200") save.groups_opened.push_back(line.substr(1));
    if (line[0] == '-' && flags == "1000200") save.groups_closed.push_back(line.substr(1));
    if (line[0] == '*') save.zoom = std::stod(line.substr(1));
  }
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
  EXPECT_EQ(save.groups_opened,
            (std::vector<std::string>{"chip(0,0).core0.mxu0", "chip(0,0).core0.dma", "chip(0,0).hbm"}));
  EXPECT_EQ(save.groups_closed, save.groups_opened);
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

}  // namespace
}  // namespace podsim::base
