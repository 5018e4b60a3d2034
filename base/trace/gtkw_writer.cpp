// SPDX-License-Identifier: Apache-2.0
#include "base/trace/gtkw_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace podsim::base::trace {
namespace {

// Trace flags of GTKWave's save files, which also write them in hexadecimal.
constexpr unsigned binary = 0x8, right_justified = 0x20, blank = 0x200, signed_decimal = 0x400, ascii = 0x800;
constexpr unsigned analog_step = 0x8000, analog_row = 0x20000, real = 0x40000, analog_full_scale = 0x80000;
constexpr unsigned collapsed = 0x1000, closed = 0x400000, group_begin = 0x800000, group_end = 0x1000000;

constexpr unsigned curve = analog_step | analog_full_scale;

/// A name without the number or coordinates at its end: mxu0 and mxu1, chip(0,0) and chip(0,1) are of one kind.
std::string_view kind_of(std::string_view name) { return name.substr(0, name.find_last_not_of("0123456789(,)") + 1); }

/// Writes the lines of one signal.
class TraceLines {
 public:
  explicit TraceLines(const GtkwView& view) : view_(view) {}

  std::string operator()(const TracedSignal& signal) const {
    std::string lines;
    if (const GtkwColor color = color_of(signal); color != GtkwColor::normal) {
      lines += fmt::format("[color] {}\n", int(color));
    }
    const std::string range = signal.kind == SignalKind::integer ? fmt::format("[{}:0]", signal.bits - 1) : "";
    lines += fmt::format("@{:x}\n+{{{}}} {}{}\n", flags(signal), signal.name, signal.full_name(), range);
    if (signal.kind == SignalKind::real) lines += fmt::format("@{:x}\n-\n-\n", analog_row);
    if (is_amount(signal)) lines += fmt::format("@{:x}\n-\n", analog_row);
    return lines;
  }

 private:
  /// Returns whether a signal is an amount, such as a fill level, which is shown as a curve.
  bool is_amount(const TracedSignal& signal) const {
    return signal.kind == SignalKind::integer &&
           (signal.name.ends_with("_bytes") || view_.curves.contains(kind_of(signal.name)));
  }

  unsigned flags(const TracedSignal& signal) const {
    switch (signal.kind) {
      case SignalKind::wire:
        return binary | right_justified;
      case SignalKind::integer:
        return signed_decimal | right_justified | (is_amount(signal) ? curve : 0);
      case SignalKind::real:
        return curve | real | right_justified;
      case SignalKind::text:
        return ascii | right_justified;
    }
    return 0;
  }

  GtkwColor color_of(const TracedSignal& signal) const {
    const std::string_view scope = std::string_view(signal.scope).substr(signal.scope.rfind('.') + 1);
    const auto found = view_.colors.find(kind_of(scope));
    return found == view_.colors.end() ? GtkwColor::normal : found->second;
  }

  const GtkwView& view_;
};

/// Ranks names by the reading order. Names that are not in it come last.
class ReadingOrder {
 public:
  explicit ReadingOrder(const std::vector<std::string>& order) : order_(order) {}
  auto rank(std::string_view name) const { return std::ranges::find(order_, kind_of(name)) - order_.begin(); }
  template <class Parts>
  void sort(Parts& parts) const {
    std::ranges::stable_sort(parts, {}, [this](const auto& part) { return rank(name_of(part)); });
  }

 private:
  static std::string_view name_of(const TracedSignal* signal) { return signal->name; }
  template <class SignalGroup>
  static std::string_view name_of(const SignalGroup& scope) {
    return scope.name;
  }
  const std::vector<std::string>& order_;
};

struct SignalGroup {
  std::string name;
  std::vector<const TracedSignal*> signals;
  std::vector<SignalGroup> inner;

  SignalGroup& child(std::string_view wanted) {
    auto found = std::ranges::find(inner, wanted, &SignalGroup::name);
    return found != inner.end() ? *found : inner.emplace_back(SignalGroup{std::string(wanted), {}, {}});
  }

  void sort(const ReadingOrder& order) {
    order.sort(signals);
    order.sort(inner);
    for (SignalGroup& scope : inner) scope.sort(order);
  }
};

SignalGroup group_tree(const std::vector<TracedSignal>& signals) {
  SignalGroup root;
  for (const TracedSignal& signal : signals) {
    SignalGroup* scope = &root;
    for (std::string_view rest = signal.scope; !rest.empty();) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      scope = &scope->child(rest.substr(0, dot));
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    scope->signals.push_back(&signal);
  }
  return root;
}

std::string group_lines(const SignalGroup& scope, const TraceLines& trace_lines, bool open);

std::string content_lines(const SignalGroup& scope, const TraceLines& trace_lines) {
  std::string lines;
  for (const TracedSignal* signal : scope.signals) lines += trace_lines(*signal);
  std::set<std::string_view> seen;
  for (const SignalGroup& inner : scope.inner) {
    lines += group_lines(inner, trace_lines, seen.insert(kind_of(inner.name)).second);
  }
  return lines;
}

std::string group_lines(const SignalGroup& scope, const TraceLines& trace_lines, bool open) {
  const unsigned begin = group_begin | blank | (open ? 0 : closed);
  const unsigned end = group_end | blank | (open ? 0 : closed | collapsed);
  return fmt::format("@{0:x}\n-{1}\n{2}@{3:x}\n-{1}\n", begin, scope.name, content_lines(scope, trace_lines), end);
}

/// GTKWave's zoom z shows 200 pixels per 2^-z time units; the wave pane of a window of this size has about 1300.
double zoom_to_fit(Time end) {
  constexpr double frames_in_view = 1250.0 / 200.0;
  return -std::log2(std::max<double>(double(end.value()), 1) / frames_in_view);
}

/// The zoom, the position of the primary marker (none), and those of the named markers.
std::string marker_lines(Time end, const std::vector<GtkwMarker>& markers) {
  std::string places = fmt::format("*{:.6f} -1", zoom_to_fit(end)), names;
  for (std::size_t i = 0; i < std::min<std::size_t>(markers.size(), 26); ++i) {
    places += fmt::format(" {}", markers[i].at.value());
    names += fmt::format("[markername] {}{}\n", char('A' + i), markers[i].name);
  }
  return places + "\n" + names;
}

}  // namespace

std::string gtkw_text(const std::string& vcd, const std::vector<TracedSignal>& signals, Time end,
                      const GtkwView& view) {
  std::string text = fmt::format("[dumpfile] \"{}\"\n[timestart] 0\n[size] 1600 900\n[pos] -1 -1\n", vcd);
  text += marker_lines(end, view.markers) + "[sst_width] 0\n[signals_width] 220\n";
  SignalGroup root = group_tree(signals);
  root.sort(ReadingOrder(view.reading_order));
  return text + content_lines(root, TraceLines(view));
}

}  // namespace podsim::base::trace
