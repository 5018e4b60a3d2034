// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/trace/forecast.h"
#include "base/units.h"

/// Values that record their own changes. A module declares Probe<T> members under a scope. Nothing is polled, so a run
/// without a sink pays one branch per change.
namespace podsim::base::trace {

enum class SignalKind { wire, integer, real, text };

/// Receives changes (a VCD writer). Signals are declared before the first change; ids are dense.
class ProbeSink {
 public:
  virtual ~ProbeSink() = default;
  /// Returns whether to record the signal with this full name ("chip(0,0).core0.mxu0.state").
  virtual bool wants(std::string_view name) const = 0;
  virtual int declare(std::string_view scope, std::string_view name, SignalKind kind, int bits) = 0;
  virtual void change(int id, Time now, std::int64_t value) = 0;
  virtual void change(int id, Time now, double value) = 0;
  virtual void change(int id, Time now, std::string_view value) = 0;
  /// Calls a forecast before the first change after `at`, and not at all if the trace ends earlier.
  virtual void expect(Time at, Forecast& forecast) = 0;
  /// Keeps a forecast until the trace ends. Call this before expect().
  virtual void keep(std::shared_ptr<Forecast> forecast) = 0;
};

/// A traced value. T is bool (one wire), an integral type (a bus), double, or std::string (shown as text: state and op
/// names).
template <class T>
class Probe {
 public:
  Probe() = default;
  /// Dots in `scope` nest VCD scopes. With a null sink, or one that does not record the signal, the probe does nothing.
  Probe(ProbeSink* sink, std::string_view scope, std::string_view name, int bits = 32) {
    std::string full = std::string(scope) + "." + std::string(name);
    if (sink == nullptr || !sink->wants(full)) return;
    sink_ = sink;
    constexpr SignalKind kind = std::is_same_v<T, bool>          ? SignalKind::wire
                                : std::is_floating_point_v<T>    ? SignalKind::real
                                : std::is_same_v<T, std::string> ? SignalKind::text
                                                                 : SignalKind::integer;
    id_ = sink->declare(scope, name, kind, kind == SignalKind::wire ? 1 : bits);
  }

  using Value = std::conditional_t<std::is_same_v<T, std::string>, std::string_view, T>;

  bool active() const { return sink_ != nullptr; }
  void set(Time now, const Value& value) {
    if (sink_ == nullptr || (known_ && value == last_)) return;
    known_ = true;
    last_ = value;
    if constexpr (std::is_same_v<T, std::string>) {
      sink_->change(id_, now, value);
    } else if constexpr (std::is_floating_point_v<T>) {
      sink_->change(id_, now, double(value));
    } else {
      sink_->change(id_, now, std::int64_t(value));
    }
  }

 private:
  ProbeSink* sink_ = nullptr;
  int id_ = -1;
  bool known_ = false;
  T last_{};
};

}  // namespace podsim::base::trace
