// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/traced_signal.h"
#include "base/units.h"

namespace podsim::base {

/// A GTKWave save file for a trace: every signal once, in a group per scope in the order of declaration and under its
/// short name there; text as text, integers in decimal, reals as steps over three rows; the whole trace in view.
/// `vcd` is the trace's file name as GTKWave is to find it from where it is started.
std::string gtkw_text(const std::string& vcd, const std::vector<TracedSignal>& signals, Time end);

}  // namespace podsim::base
