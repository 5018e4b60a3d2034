// SPDX-License-Identifier: Apache-2.0
#include "base/trace/forecast.h"

#include <algorithm>
#include <functional>

namespace podsim::base::trace {

void ForecastQueue::push(Time at, Forecast& forecast) {
  entries_.push_back({at, &forecast});
  std::push_heap(entries_.begin(), entries_.end(), std::greater<>());
}

void ForecastQueue::show_before(Time end) {
  while (!entries_.empty() && entries_.front().at < end) {
    std::pop_heap(entries_.begin(), entries_.end(), std::greater<>());
    const Entry due = entries_.back();
    entries_.pop_back();
    due.forecast->show_until(due.at);
  }
}

}  // namespace podsim::base::trace
