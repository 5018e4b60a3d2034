// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sw/collectives/schedule/group_schedule.h"

/// One core's progress through one stripe of a collective: the phase that it is in, and the segments that it waits for.
/// The executor reports events to it and carries out the actions that it requests.
namespace podsim::sw::collectives::schedule {

/// The actions that a walker requests from its executor.
class ScheduleActions {
 public:
  virtual ~ScheduleActions() = default;
  virtual void phase_entered(int stripe, int phase) = 0;
  /// Sends every segment of a flow that starts here, read from this core's data; `first` is its segment 0.
  virtual void originate(const Segment& first) = 0;
  /// Adds this core's contribution to an arrived segment (partial sums) or stores the segment. The executor calls
  /// ScheduleWalker::absorbed when that is done.
  virtual void absorb(const Segment& segment) = 0;
  /// Sends a segment on: the sum that absorb made, or the data that arrived. `next` is as the next member receives it.
  virtual void forward(const Segment& next) = 0;
  /// Everything that the stripe brings to this core has been absorbed.
  virtual void gathered(int stripe) = 0;
  /// The stripe has left a phase that is not its last. The executor calls ScheduleWalker::proceed when all stripes of
  /// the chip have left it.
  virtual void phase_left(int stripe) = 0;
};

class ScheduleWalker {
 public:
  /// `root`: this core is the root of a broadcast.
  ScheduleWalker(const GroupSchedule& schedule, int stripe, const noc::Coordinates& at, bool root)
      : schedule_(&schedule), stripe_(stripe), root_(root), at_(at) {}

  int stripe() const { return stripe_; }
  /// Enters the first phase. The core's contribution to this stripe is complete.
  void begin(ScheduleActions& actions) { enter(0, actions); }
  /// A segment has arrived. A segment of a later phase is set aside until the core enters that phase.
  void received(const Segment& segment, ScheduleActions& actions);
  /// The executor has finished ScheduleActions::absorb.
  void absorbed(const Segment& segment, ScheduleActions& actions);

  /// Enters the next phase, after ScheduleActions::phase_left.
  void proceed(ScheduleActions& actions) {
    waits_ = false;
    enter(phase_ + 1, actions);
  }
  bool waits() const { return waits_; }

  /// The current phase; -1 before begin, the number of phases at the end.
  int phase() const { return phase_; }
  /// The step of its phase that a direction is in, from 1: one more than the number of flows absorbed so far.
  std::int64_t step(int direction) const;

 private:
  int phases() const { return int(schedule_->phases(stripe_).size()); }
  void accept(const Segment& segment, ScheduleActions& actions);
  void enter(int phase, ScheduleActions& actions);
  void leave(ScheduleActions& actions);
  void originate_all(int phase, ScheduleActions& actions);
  /// Calls `send` for segment 0 of every flow of a phase that starts here, in the order of sending.
  template <class Send>
  void for_each_origin(int phase, Send send) const;
  std::int64_t completions(int phase) const;

  const GroupSchedule* schedule_;
  int stripe_;
  bool root_;
  int phase_ = -1;
  bool waits_ = false;  ///< for proceed()
  noc::Coordinates at_;
  std::int64_t remaining_ = 0;              ///< segments of the current phase still to end here
  std::array<std::int64_t, 2> absorbed_{};  ///< segments of the current phase, by direction
  std::vector<Segment> early_;              ///< segments of later phases
};

}  // namespace podsim::sw::collectives::schedule
