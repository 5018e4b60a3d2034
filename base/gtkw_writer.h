// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/traced_signal.h"
#include "base/units.h"

namespace podsim::base {

/// Colours of GTKWave's traces, by the numbers of its save files.
enum class GtkwColor { normal, red, orange, yellow, green, blue, indigo, violet };

/// A named marker; GTKWave has 26 of them, A to Z.
struct GtkwMarker {
  std::string name;
  Time at;
};

/// How a trace is shown. Names are without the numbers at their end ("core", "mxu", "state").
struct GtkwView {
  std::vector<std::string> reading_order;                ///< of signals and groups
  std::map<std::string, GtkwColor, std::less<>> colors;  ///< of the signals of a scope, by its name
  std::set<std::string, std::less<>> curves;             ///< integers that are shown as curves, by the signal's name
  std::vector<GtkwMarker> markers;                       ///< those after the 26th are left out
};

/// A GTKWave save file for a trace: every signal once under its short name, in nested groups, one per scope, a scope's
/// own signals before the scopes in it; text as text, integers in decimal, reals as steps over three rows and integers
/// called `..._bytes`, or among the view's curves, over two, on a scale that stays when one zooms; the whole trace in
/// view. Of groups whose names differ in the numbers at the end only (core0, core1) the first is open. Signals and
/// groups stand in the view's reading order, and where it does not tell in the order of declaration. `vcd` is the
/// trace's file name as GTKWave is to find it from where it is started.
std::string gtkw_text(const std::string& vcd, const std::vector<TracedSignal>& signals, Time end,
                      const GtkwView& view = {});

}  // namespace podsim::base
