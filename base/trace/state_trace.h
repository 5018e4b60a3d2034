// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/trace/forecast.h"
#include "base/trace/probe.h"

namespace podsim::base::trace {

/// Traces a unit that knows its states in advance, as a text and a wire `busy`. It exists only if one of the signals is
/// recorded.
class StateTrace : public Forecast {
 public:
  struct Change {
    Time at;
    std::string state;
  };

  /// Null if neither signal is recorded. Until its first state the unit is in state `idle`, which is not busy.
  static std::shared_ptr<StateTrace> make(ProbeSink* sink, Probe<std::string> state, Probe<bool> busy,
                                          std::string idle);

  /// Shows states, in order of their times, none in the past. After the last one the unit is idle from `idle_at`. A
  /// unit that starts again when it ends is not shown idle, and a state that lasts no time is not shown.
  void show(const std::vector<Change>& states, Time idle_at);
  void show_until(Time now) override;

 private:
  StateTrace(ProbeSink* sink, Probe<std::string> state, Probe<bool> busy, std::string idle);
  void expect();

  ProbeSink* sink_;
  Probe<std::string> state_;
  Probe<bool> busy_;
  std::string idle_;
  std::deque<Change> changes_;
  std::optional<Time> expected_;  ///< the earliest time at which the sink has been asked to call
};

}  // namespace podsim::base::trace
