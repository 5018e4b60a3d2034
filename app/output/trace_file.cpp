// SPDX-License-Identifier: Apache-2.0
#include "app/output/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/output_file.h"
#include "hw/core_units.h"

namespace podsim::app::output {
namespace {

std::filesystem::path beside(std::filesystem::path vcd) { return vcd.replace_extension(".gtkw"); }

/// Checks that both files can be written, and leaves neither behind.
std::filesystem::path tried(const std::filesystem::path& vcd) {
  base::host::locate_errors("--vcd", vcd.string(), [&] {
    if (vcd == beside(vcd)) {
      throw base::InputError("the waveform has the name of its save file", "a name that ends in .vcd");
    }
    base::host::OutputFile waveform(vcd);
    if (base::host::is_replaceable(vcd)) base::host::OutputFile save_file(beside(vcd));
  });
  return vcd;
}

/// Order of signals: commands to a chip, then its data path from memory through the units, then traffic leaving the
/// chip. Signals of one unit have the same colour.
base::trace::GtkwView view() {
  using base::trace::GtkwColor;
  base::trace::GtkwView view;
  view.reading_order = {"op", "watts", "mark", "state", "collective", "infeed", "sync", "dma", "hbm"};
  view.colors = {{"dma", GtkwColor::blue},
                 {"hbm", GtkwColor::blue},
                 {"sync", GtkwColor::yellow},
                 {"transcendental", GtkwColor::green},
                 {"banks", GtkwColor::orange}};
  hw::CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    if (Unit::names.color == GtkwColor::normal) return;
    view.reading_order.emplace_back(Unit::names.name);
    view.colors.emplace(Unit::names.name, Unit::names.color);
  });
  for (const char* name : {"transcendental", "vmem", "slots", "use", "core", "ici", "switch", "host", "row_command",
                           "column_command", "data"}) {
    view.reading_order.emplace_back(name);
  }
  view.curves = {"in_unit", "result_fifo", "lhs_fifo", "weight_fifo", "outstanding", "reads_waiting", "writes_waiting"};
  return view;
}

/// All signals, and for each scope the pattern of all signals in it.
std::vector<std::string> candidates(const std::vector<std::string>& names) {
  std::set<std::string> all(names.begin(), names.end());
  for (const std::string& name : names) {
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      all.insert(name.substr(0, dot) + ".*");
    }
  }
  return {all.begin(), all.end()};
}

}  // namespace

TraceFile::TraceFile(const std::filesystem::path& vcd, std::vector<std::string> patterns)
    : vcd_(tried(vcd)), save_file_(beside(vcd)), writer_(vcd, std::move(patterns)) {}

bool TraceFile::wants(std::string_view name) const {
  names_.emplace_back(name);
  return writer_.wants(name);
}

int TraceFile::declare(std::string_view scope, std::string_view name, base::trace::SignalKind kind, int bits) {
  return writer_.declare(scope, name, kind, bits);
}

std::string TraceFile::hint_for(const std::string& pattern) const {
  std::string hint = base::did_you_mean(pattern, candidates(names_));
  if (!hint.empty() || names_.empty()) return hint;
  return fmt::format("a signal is called such as '{}'; '*' stands for any characters", names_.front());
}

void TraceFile::check_patterns() const {
  std::vector<base::Diagnostic> errors;
  for (const std::string& pattern : writer_.unmatched_patterns()) {
    errors.push_back({base::Diagnostic::Severity::error, fmt::format("'{}' matches no signal of this run", pattern),
                      base::host::argument_location("--trace", pattern), hint_for(pattern)});
  }
  if (!errors.empty()) throw base::InputError(std::move(errors));
}

void TraceFile::mark(std::string_view name, base::Time at) {
  if (std::ranges::find(markers_, name, &base::trace::GtkwMarker::name) != markers_.end()) return;
  markers_.push_back({std::string(name), at});
}

void TraceFile::finish(base::Time end) {
  writer_.finish(end);
  base::trace::GtkwView shown = view();
  shown.markers = markers_;
  if (!base::host::is_replaceable(vcd_)) return;
  base::host::write_file(save_file_, base::trace::gtkw_text(vcd_.string(), writer_.signals(), end, shown));
}

}  // namespace podsim::app::output
