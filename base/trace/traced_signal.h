// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/trace/probe.h"

namespace podsim::base::trace {

/// A signal as declared in a trace.
struct TracedSignal {
  std::string scope;  ///< "chip(0,0).core0"; dots nest
  std::string name;   ///< without dots
  SignalKind kind;
  int bits;
  std::string full_name() const { return scope.empty() ? name : scope + "." + name; }
};

}  // namespace podsim::base::trace
