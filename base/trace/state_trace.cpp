// SPDX-License-Identifier: Apache-2.0
#include "base/trace/state_trace.h"

#include <utility>

namespace podsim::base::trace {

std::shared_ptr<StateTrace> StateTrace::make(ProbeSink* sink, Probe<std::string> state, Probe<bool> busy,
                                             std::string idle) {
  if (!state.active() && !busy.active()) return nullptr;
  std::shared_ptr<StateTrace> trace(new StateTrace(sink, std::move(state), busy, std::move(idle)));
  sink->keep(trace);
  return trace;
}

StateTrace::StateTrace(ProbeSink* sink, Probe<std::string> state, Probe<bool> busy, std::string idle)
    : sink_(sink), state_(std::move(state)), busy_(busy), idle_(std::move(idle)) {
  state_.set(Time(0), idle_);
  busy_.set(Time(0), false);
}

void StateTrace::show(const std::vector<Change>& states, Time idle_at) {
  if (!changes_.empty() && states.begin()->at <= changes_.back().at) changes_.pop_back();
  changes_.insert(changes_.end(), states.begin(), states.end());
  changes_.push_back({idle_at, idle_});
  expect();
}

void StateTrace::show_until(Time now) {
  expected_.reset();
  while (!changes_.empty() && changes_.front().at <= now) {
    const Change change = std::move(changes_.front());
    changes_.pop_front();
    if (!changes_.empty() && changes_.front().at == change.at) continue;
    state_.set(change.at, change.state);
    busy_.set(change.at, change.state != idle_);
  }
  expect();
}

void StateTrace::expect() {
  if (changes_.empty() || (expected_ && *expected_ <= changes_.front().at)) return;
  expected_ = changes_.front().at;
  sink_->expect(*expected_, *this);
}

}  // namespace podsim::base::trace
