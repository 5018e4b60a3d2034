// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/trace/probe.h"
#include "base/trace/state_trace.h"
#include "base/trace/timeline.h"

namespace podsim::hw {

/// Outputs for a module's trace. Both may be null; without them a trace costs nothing.
struct Trace {
  base::trace::ProbeSink* sink = nullptr;
  base::trace::Timeline* timeline = nullptr;
  std::string scope;  ///< dotted: "chip(0,0).core0"

  Trace below(const std::string& name) const { return {sink, timeline, scope + "." + name}; }
  template <class T>
  base::trace::Probe<T> probe(const char* name) const {
    return base::trace::Probe<T>(sink, scope, name);
  }
  /// The states of a unit that knows them in advance, as a text `state` and a wire `busy`. Null if none is recorded.
  std::shared_ptr<base::trace::StateTrace> states() const {
    const auto state = probe<std::string>("state");  // declared first
    return base::trace::StateTrace::make(sink, state, probe<bool>("busy"), "idle");
  }
};

}  // namespace podsim::hw
