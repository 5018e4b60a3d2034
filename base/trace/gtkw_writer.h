// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/trace/gtkw_color.h"
#include "base/trace/traced_signal.h"
#include "base/units.h"

namespace podsim::base::trace {

/// A named marker; GTKWave has 26 of them, A to Z.
struct GtkwMarker {
  std::string name;
  Time at;
};

/// Settings for the view of a trace. Names are given without the numbers at their end ("core", "mxu", "state").
struct GtkwView {
  std::vector<std::string> reading_order;                ///< names of signals and groups
  std::map<std::string, GtkwColor, std::less<>> colors;  ///< colours of a scope's signals, by the scope's name
  std::set<std::string, std::less<>> curves;             ///< names of integers that are shown as curves
  std::vector<GtkwMarker> markers;                       ///< markers after the 26th are omitted
};

/// Returns a GTKWave save file that shows a whole trace. `vcd` is the trace's file name as GTKWave finds it from where
/// it is started.
///
/// Every signal appears once under its short name, in nested groups, one per scope; a scope's own signals come before
/// the scopes in it. Text is shown as text, integers in decimal, reals as steps over three rows. Integers named
/// `..._bytes`, or among the view's curves, are steps over two rows, on a scale that zooming does not change. Among
/// groups whose names differ only in the numbers at the end (core0, core1), the first is open. Signals and groups are
/// in the view's reading order; others follow in order of declaration.
std::string gtkw_text(const std::string& vcd, const std::vector<TracedSignal>& signals, Time end,
                      const GtkwView& view = {});

}  // namespace podsim::base::trace
