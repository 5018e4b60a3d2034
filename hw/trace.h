// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/probe.h"
#include "base/timeline.h"

namespace podsim::hw {

/// Where a module shows what it does. Both outputs may be absent; without them a trace costs nothing.
struct Trace {
  base::ProbeSink* sink = nullptr;
  base::Timeline* timeline = nullptr;
  std::string scope;  ///< dotted: "chip(0,0).core0"

  Trace below(const std::string& name) const { return {sink, timeline, scope + "." + name}; }
  template <class T>
  base::Probe<T> probe(const char* name) const {
    return base::Probe<T>(sink, scope, name);
  }
};

}  // namespace podsim::hw
