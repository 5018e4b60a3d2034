// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "hw/bundle/result_unit.h"

namespace podsim::hw {

/// When operations enter a unit and when their results can be popped, without data. Cycles of the core clock.
///
/// There is no operand FIFO: an operation enters in the cycle in which it is pushed. Results leave in order through one
/// port. `places` registers are in the unit or wait behind it; an operation that gives n results takes n places as it
/// enters, and a pop in cycle p makes room from p + 1 on:
///
///   enter(i)  >= enter(i - 1) + interval
///   enter     >= pop(j - places) + 1 for each of its results j, counted from the first result of all
///   ready(j)   = max(enter + latency, ready(j - 1) + interval)
///   pop(j)    >= ready(j)
class ResultPipeline {
 public:
  ResultPipeline(base::Cycles interval, base::Cycles latency, std::int64_t places);

  /// The first cycle from `now` on in which an operation with that many results can enter. Never, if that many places
  /// are not free without another pop; illegal, if there are not that many places at all.
  Readiness ready_to_enter(std::int64_t results, base::Cycles now) const;
  void enter(std::int64_t results, base::Cycles now);
  /// Illegal if no result is on its way.
  Readiness ready_to_pop(base::Cycles now) const;
  void pop(base::Cycles now);

  /// Results that ever entered and were popped: result j is in place j % places.
  std::int64_t entered() const { return entered_; }
  std::int64_t popped() const { return popped_; }
  std::size_t places() const { return ready_.size(); }
  std::size_t place(std::int64_t result) const { return std::size_t(result) % ready_.size(); }
  /// The cycle from which a result that entered and was not popped can be.
  base::Cycles ready(std::int64_t result) const { return ready_[place(result)]; }

  base::Cycles interval() const { return interval_; }
  /// Cycles before `now` in which operations entered: an interval for each.
  base::Cycles busy(base::Cycles now) const;

 private:
  base::Cycles interval_, latency_;
  std::int64_t entered_ = 0, popped_ = 0;
  std::vector<base::Cycles> ready_, popped_at_;  ///< of the latest result in each place
  base::Cycles last_ready_;                      ///< of the latest result; before any, too early to matter
  base::Cycles last_enter_;                      ///< likewise
  base::Cycles busy_;                            ///< of all operations but for what lies ahead
};

}  // namespace podsim::hw
