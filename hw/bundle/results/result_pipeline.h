// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "hw/bundle/results/result_unit.h"

namespace podsim::hw::bundle::results {

/// Timing of a unit whose results leave in order: when operations enter and when their results can be popped, without
/// data. Cycles are those of the core clock.
///
/// There is no operand FIFO: an operation enters in the cycle in which it is pushed. Results leave in order through one
/// port. Up to `slots` results are in the unit or its result FIFO. An operation with n results takes n slots when it
/// enters, and a pop in cycle p makes room from p + 1:
///
///   enter(i)  >= enter(i - 1) + interval
///   enter     >= pop(j - slots) + 1 for each of its results j, numbered from the first result of all operations
///   ready(j)   = max(enter + latency, ready(j - 1) + interval)
///   pop(j)    >= ready(j)
class ResultPipeline {
 public:
  ResultPipeline(base::Cycles interval, base::Cycles latency, std::int64_t slots);

  /// Returns the first cycle, not before `now`, in which an operation with `results` results can enter. `never` if that
  /// needs another pop first, `illegal` if the unit does not have that many slots.
  Readiness ready_to_enter(std::int64_t results, base::Cycles now) const;
  void enter(std::int64_t results, base::Cycles now);
  /// Returns the first cycle, not before `now`, in which the oldest result can be popped; `illegal` if there is no
  /// result in flight.
  Readiness ready_to_pop(base::Cycles now) const;
  void pop(base::Cycles now);

  /// Number of results that have entered, and that have been popped, since the start. Result j is in slot j % slots.
  std::int64_t entered() const { return entered_; }
  std::int64_t popped() const { return popped_; }
  std::size_t slots() const { return ready_.size(); }
  std::size_t slot(std::int64_t result) const { return std::size_t(result) % ready_.size(); }
  /// First cycle in which a result in flight can be popped.
  base::Cycles ready(std::int64_t result) const { return ready_[slot(result)]; }

  base::Cycles interval() const { return interval_; }
  /// Number of cycles before `now` in which operations entered, counting an interval for each operation.
  base::Cycles busy(base::Cycles now) const;

 private:
  base::Cycles interval_, latency_;
  std::int64_t entered_ = 0, popped_ = 0;
  std::vector<base::Cycles> ready_, popped_at_;  ///< for the latest result in each slot
  base::Cycles last_ready_;                      ///< ready cycle of the latest result; initially too early to matter
  base::Cycles last_enter_;                      ///< entry of the latest operation; initially too early to matter
  base::Cycles busy_;                            ///< intervals of all operations, including their future cycles
};

}  // namespace podsim::hw::bundle::results
