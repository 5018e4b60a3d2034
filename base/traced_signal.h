// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/probe.h"

namespace podsim::base {

/// A signal as a trace declares it.
struct TracedSignal {
  std::string scope;  ///< "chip(0,0).core0"; dots nest
  std::string name;   ///< without dots
  SignalKind kind;
  int bits;
  std::string full_name() const { return scope.empty() ? name : scope + "." + name; }
};

}  // namespace podsim::base
