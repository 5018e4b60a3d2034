// SPDX-License-Identifier: Apache-2.0
#include "base/gtkw_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace podsim::base {
namespace {

// Trace flags of GTKWave's save files, in hexadecimal there too.
constexpr unsigned binary = 0x8, right_justified = 0x20, blank = 0x200, signed_decimal = 0x400, ascii = 0x800;
constexpr unsigned analog_step = 0x8000, analog_row = 0x20000, real = 0x40000;
constexpr unsigned group_begin = 0x800000, group_end = 0x1000000;

unsigned flags(SignalKind kind) {
  switch (kind) {
    case SignalKind::wire:
      return binary | right_justified;
    case SignalKind::integer:
      return signed_decimal | right_justified;
    case SignalKind::real:
      return analog_step | real | right_justified;
    case SignalKind::text:
      return ascii | right_justified;
  }
  return 0;
}

std::string trace_lines(const TracedSignal& signal) {
  std::string range = signal.kind == SignalKind::integer ? fmt::format("[{}:0]", signal.bits - 1) : "";
  std::string lines = fmt::format("@{:x}\n+{{{}}} {}{}\n", flags(signal.kind), signal.name, signal.full_name(), range);
  if (signal.kind == SignalKind::real) lines += fmt::format("@{:x}\n-\n-\n", analog_row);
  return lines;
}

struct Group {
  std::string scope;
  std::vector<const TracedSignal*> signals;
};

std::vector<Group> group_by_scope(const std::vector<TracedSignal>& signals) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> index;
  for (const TracedSignal& signal : signals) {
    auto [found, is_new] = index.try_emplace(signal.scope, groups.size());
    if (is_new) groups.push_back({signal.scope, {}});
    groups[found->second].signals.push_back(&signal);
  }
  return groups;
}

/// GTKWave's zoom z shows 200 pixels per 2^-z time units; the wave pane of the window below has some 1300.
double zoom_to_fit(Time end) {
  constexpr double frames_in_view = 1250.0 / 200.0;
  return -std::log2(std::max<double>(double(end.value()), 1) / frames_in_view);
}

}  // namespace

std::string gtkw_text(const std::string& vcd, const std::vector<TracedSignal>& signals, Time end) {
  std::string text = fmt::format("[dumpfile] \"{}\"\n[timestart] 0\n[size] 1600 900\n[pos] -1 -1\n", vcd);
  text += fmt::format("*{:.6f} -1\n[sst_width] 0\n[signals_width] 220\n", zoom_to_fit(end));
  for (const Group& group : group_by_scope(signals)) {
    if (!group.scope.empty()) text += fmt::format("@{:x}\n-{}\n", group_begin | blank, group.scope);
    for (const TracedSignal* signal : group.signals) text += trace_lines(*signal);
    if (!group.scope.empty()) text += fmt::format("@{:x}\n-{}\n", group_end | blank, group.scope);
  }
  return text;
}

}  // namespace podsim::base
