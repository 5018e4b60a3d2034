// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <memory>
#include <string_view>
#include <systemc>
#include <vector>

#include "hw/core_time.h"
#include "hw/trace.h"

namespace podsim::hw::core {

/// What the sequencer asks of a unit that does `Work` of a phase.
template <class Work>
class UnitPort : public sc_core::sc_interface {
 public:
  /// Starts work at `now` and returns the cycle in which it is done. The unit must be idle.
  virtual base::Cycles start(base::Cycles now, const Work& work, std::string_view op) = 0;
  /// Cycles during which the unit has worked so far.
  virtual base::Cycles busy() const = 0;
};

/// One unit of a core as a module, in the times of its law. Its calls return the cycle of their end, since only the
/// core's sequencer uses the unit. States: those of the unit while it works, else "idle".
template <class Unit>
class TimedUnit : public sc_core::sc_module, private UnitPort<typename Unit::Work> {
 public:
  using Work = typename Unit::Work;

  /// `instance` is its number among the core's units of its kind, which determines its part of a phase's work.
  TimedUnit(sc_core::sc_module_name name, const typename Unit::Timing& timing, std::int64_t instance,
            const CoreTime& time, const Trace& trace)
      : sc_module(name),
        timing_(timing),
        instance_(instance),
        time_(time),
        trace_(trace.states()),
        timeline_(Unit::names.timeline == nullptr ? nullptr : trace.timeline) {
    from_sequencer.bind(*this);
    if (timeline_ != nullptr) track_ = timeline_->track(trace.scope, Unit::names.title);
  }

  sc_core::sc_export<UnitPort<Work>> from_sequencer{"from_sequencer"};

 private:
  base::Cycles start(base::Cycles now, const Work& work, std::string_view op) override {
    const auto parts = timing_.parts(work, instance_);
    base::Cycles end = now;
    for (const base::Cycles part : parts) end += part;
    if (end == now) return end;
    busy_ += end - now;
    if (trace_) show(now, end, parts);
    if (timeline_ != nullptr) timeline_->span(track_, op, category_, time_.time_of(now), time_.time_of(end));
    return end;
  }
  base::Cycles busy() const override { return busy_; }

  template <class Parts>
  void show(base::Cycles begin, base::Cycles end, const Parts& parts) {
    std::vector<base::trace::StateTrace::Change> states;
    for (std::size_t i = 0; i < std::size(parts); ++i) {
      states.push_back({time_.time_of(begin), Unit::states[i]});
      begin += parts[i];
    }
    trace_->show(states, time_.time_of(end));
  }

  typename Unit::Timing timing_;
  std::int64_t instance_;
  const CoreTime& time_;
  std::shared_ptr<base::trace::StateTrace> trace_;
  base::trace::Timeline* timeline_;
  const char* category_ = Unit::names.timeline;
  base::trace::Timeline::Track track_ = 0;
  base::Cycles busy_;
};

}  // namespace podsim::hw::core
