// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/results/result_trace.h"

namespace podsim::hw::bundle::results {

namespace {
constexpr std::string_view idle_state = "idle";
}  // namespace

std::unique_ptr<ResultTrace> ResultTrace::make(const char* unit, const CoreTime& time, const Trace& trace) {
  auto result = std::make_unique<ResultTrace>(unit, time, trace);
  return result->active() ? std::move(result) : nullptr;
}

ResultTrace::ResultTrace(const char* unit, const CoreTime& time, const Trace& trace)
    : time_(time),
      unit_(unit),
      state_(trace.probe<std::string>("state")),
      in_unit_(trace.probe<std::int64_t>("in_unit")),
      result_fifo_(trace.probe<std::int64_t>("result_fifo")),
      timeline_(trace.timeline) {
  if (timeline_ != nullptr) track_ = timeline_->track(trace.scope, unit);
  pending_[base::Cycles(0)].state = idle_state;
  show_until(base::Cycles(0));
}

bool ResultTrace::active() const {
  return state_.active() || in_unit_.active() || result_fifo_.active() || timeline_ != nullptr;
}

void ResultTrace::entered(std::string_view operation, base::Cycles begin, base::Cycles end) {
  pending_[begin].state = operation;
  pending_[end].state = idle_state;
  if (timeline_ != nullptr) timeline_->span(track_, operation, unit_, time_.time_of(begin), time_.time_of(end));
}

void ResultTrace::result(base::Cycles entered, base::Cycles ready) {
  ++pending_[entered].in_unit;
  --pending_[ready].in_unit;
  ++pending_[ready].result_fifo;
}

void ResultTrace::popped(base::Cycles now) { --pending_[now].result_fifo; }

void ResultTrace::show_until(base::Cycles now) {
  while (!pending_.empty() && pending_.begin()->first <= now) {
    const auto& [cycle, change] = *pending_.begin();
    const base::Time time = time_.time_of(cycle);
    if (!change.state.empty()) state_.set(time, std::string(change.state));
    in_unit_.set(time, shown_.in_unit += change.in_unit);
    result_fifo_.set(time, shown_.result_fifo += change.result_fifo);
    pending_.erase(pending_.begin());
  }
}

}  // namespace podsim::hw::bundle::results
