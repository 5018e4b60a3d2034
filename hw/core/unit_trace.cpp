// SPDX-License-Identifier: Apache-2.0
#include "hw/core/unit_trace.h"

#include <string_view>

namespace podsim::hw::core {

namespace {
constexpr const char* idle_state = "idle";
}  // namespace

std::unique_ptr<UnitTrace> UnitTrace::make(const char* name, const CoreTime& time, const Trace& trace) {
  auto state = trace.probe<std::string>("state");
  auto busy = trace.probe<bool>("busy");
  if (!state.active() && !busy.active()) return nullptr;
  return std::make_unique<UnitTrace>(name, time, state, busy);
}

UnitTrace::UnitTrace(sc_core::sc_module_name name, const CoreTime& time, base::trace::Probe<std::string> state,
                     base::trace::Probe<bool> busy)
    : sc_module(name), time_(time), state_(std::move(state)), busy_(std::move(busy)) {
  state_.set(base::Time(0), idle_state);
  busy_.set(base::Time(0), false);
  SC_METHOD(next);
  sensitive << wake_;
  dont_initialize();
}

void UnitTrace::show(std::initializer_list<Change> states, base::Cycles idle) {
  // A unit that starts again in the cycle in which it ends is never shown idle.
  if (!changes_.empty() && states.begin()->cycle <= changes_.back().cycle) changes_.pop_back();
  changes_.insert(changes_.end(), states);
  changes_.push_back({idle, idle_state});
  wake_.cancel();
  wake_.notify(time_.until(changes_.front().cycle));
}

void UnitTrace::next() {
  const base::Cycles now = time_.now();
  while (!changes_.empty() && changes_.front().cycle <= now) {
    const Change change = changes_.front();
    changes_.pop_front();
    if (!changes_.empty() && changes_.front().cycle <= now) continue;  // a state that lasts no time
    state_.set(base::systemc::now(), change.state);
    busy_.set(base::systemc::now(), std::string_view(change.state) != idle_state);
  }
  if (!changes_.empty()) wake_.notify(time_.until(changes_.front().cycle));
}

}  // namespace podsim::hw::core
