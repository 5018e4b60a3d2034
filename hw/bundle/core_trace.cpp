// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/core_trace.h"

#include <algorithm>

#include "hw/isa/legality.h"

namespace podsim::hw::bundle {

std::unique_ptr<CoreTrace> CoreTrace::make(const CoreTime& time, const Trace& trace) {
  if (trace.sink == nullptr && trace.timeline == nullptr) return nullptr;
  return std::make_unique<CoreTrace>(time, trace);
}

CoreTrace::CoreTrace(const CoreTime& time, const Trace& trace)
    : time_(time),
      state_(trace.probe<std::string>("state")),
      mark_(trace.probe<std::string>("mark")),
      pc_(trace.probe<std::int64_t>("pc")),
      bank_stalls_(trace.probe<std::int64_t>("vmem_bank_stalls")),
      timeline_(trace.timeline) {
  for (std::size_t slot = 0; slot < isa::slots; ++slot) {
    const std::string name(isa::to_string(isa::Slot(slot)));
    slots_[slot] = trace.below("slots").probe<std::string>(name.c_str());
    use_[slot] = trace.below("use").probe<double>(name.c_str());
    use_[slot].set(base::Time(0), 0.0);
  }
  mark_.set(base::Time(0), "");
  bank_stalls_.set(base::Time(0), 0);
  if (timeline_ != nullptr) {
    regions_ = timeline_->track(trace.scope, "marks");
    waits_ = timeline_->track(trace.scope, "waits");
  }
}

void CoreTrace::show_until(base::Cycles cycle) {
  for (; shown_ < cycle; shown_ += base::Cycles(1)) {
    for (results::ResultUnit* unit : units_) unit->show_until(shown_);
    if ((shown_.value() + 1) % window == 0) show_use(shown_ + base::Cycles(1));
  }
}

void CoreTrace::show_use(base::Cycles now) {
  for (std::size_t slot = 0; slot < isa::slots; ++slot) {
    use_[slot].set(time_.time_of(now), double(issued_[slot]) / double(window));
  }
  issued_.fill(0);
}

void CoreTrace::wait(base::Cycles from, const std::string& what) {
  show_until(from);
  for (auto& slot : slots_) slot.set(time_.time_of(from), "");
  show_state(from, what);
}

void CoreTrace::show_state(base::Cycles now, const std::string& state) {
  if (state == waiting_for_) return;
  state_.set(time_.time_of(now), state);
  if (timeline_ != nullptr && !waiting_for_.empty() && waiting_for_ != "branch" && now > wait_begin_) {
    timeline_->span(waits_, waiting_for_, "wait", time_.time_of(wait_begin_), time_.time_of(now));
  }
  waiting_for_ = state == "run" ? "" : state;
  wait_begin_ = now;
}

void CoreTrace::issue(base::Cycles now, std::uint32_t address, const std::array<std::string, isa::slots>& texts) {
  show_until(now);
  show_state(now, "run");
  const base::Time time = time_.time_of(now);
  pc_.set(time, address);
  for (std::size_t slot = 0; slot < isa::slots; ++slot) {
    slots_[slot].set(time, texts[slot]);
    issued_[slot] += texts[slot].empty() ? 0 : 1;
  }
}

void CoreTrace::mark(base::Cycles now, const std::string& text) {
  mark_.set(time_.time_of(now), text);
  end_region(now);
  region_ = text;
  region_begin_ = now;
}

void CoreTrace::end_region(base::Cycles now) {
  if (timeline_ == nullptr || region_.empty()) return;
  timeline_->span(regions_, region_, "mark", time_.time_of(region_begin_), time_.time_of(now));
}

void CoreTrace::bank_stalls(base::Cycles now, base::Cycles total) {
  bank_stalls_.set(time_.time_of(now), total.value());
}

void CoreTrace::finish(base::Cycles now, const std::string& state) {
  wait(now, state);
  for (results::ResultUnit* unit : units_) unit->show_until(now);
  end_region(now);
}

}  // namespace podsim::hw::bundle
