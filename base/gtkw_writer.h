// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/traced_signal.h"
#include "base/units.h"

namespace podsim::base {

/// A GTKWave save file for a trace: every signal once under its short name, in nested groups, one per scope, a scope's
/// own signals before the scopes in it; text as text, integers in decimal, reals as steps over three rows and integers
/// called `..._bytes` over two, on a scale that stays when one zooms; the whole trace in view. Of groups whose names
/// differ in the numbers at the end only (core0, core1) the first is open. Signals and groups stand in the order of
/// `reading_order`, which lists names without such numbers ("core", "state"), and where it does not tell in the order
/// of declaration. `vcd` is the trace's file name as GTKWave is to find it from where it is started.
std::string gtkw_text(const std::string& vcd, const std::vector<TracedSignal>& signals, Time end,
                      const std::vector<std::string>& reading_order = {});

}  // namespace podsim::base
