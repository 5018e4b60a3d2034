// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/units.h"

namespace podsim::base::trace {

/// Changes of signals that are known before they happen. A sink asks for them when it reaches their time, so that they
/// need no process and no event of the simulation.
class Forecast {
 public:
  virtual ~Forecast() = default;
  /// Sets the probes, each change with its own time, up to `now`, and asks the sink to be called again if more follow.
  virtual void show_until(Time now) = 0;
};

/// The forecasts that a sink has promised to call, in order of time. They outlive the modules that made them.
class ForecastQueue {
 public:
  void keep(std::shared_ptr<Forecast> forecast) { kept_.push_back(std::move(forecast)); }
  /// Queues a call of a forecast that is kept.
  void push(Time at, Forecast& forecast);
  /// Calls the forecasts that are due before `end`, and those that they add.
  void show_before(Time end);

 private:
  struct Entry {
    Time at;
    Forecast* forecast;
    bool operator>(const Entry& other) const { return at > other.at; }
  };
  std::vector<std::shared_ptr<Forecast>> kept_;
  std::vector<Entry> entries_;  ///< a heap, earliest first
};

}  // namespace podsim::base::trace
