// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sw/collectives/schedule.h"

/// One core's progress through one colour of a collective: which stage it is in, what it waits for. The executor tells
/// it what happened and carries out what it asks for.
namespace podsim::sw::collectives {

/// What a walker asks its executor to do.
class ScheduleActions {
 public:
  virtual ~ScheduleActions() = default;
  virtual void phase_entered(int stripe, int phase) = 0;
  /// Send every segment of a flow that starts here, read from this core's data; `first` is its segment 0.
  virtual void originate(const Segment& first) = 0;
  /// Take in an arrived segment: add this core's contribution (reduce-scatter) or store it; call
  /// ScheduleWalker::absorbed when that is done.
  virtual void absorb(const Segment& segment) = 0;
  /// Send a segment on: the sum that absorb made, or the data that arrived. `next` is as the next member will see it.
  virtual void forward(const Segment& next) = 0;
  /// All that the colour brings has been absorbed.
  virtual void gathered(int stripe) = 0;
};

class ScheduleWalker {
 public:
  /// `root`: a broadcast starts here.
  ScheduleWalker(const GroupSchedule& schedule, int stripe, const noc::Coordinates& at, bool root)
      : schedule_(&schedule), stripe_(stripe), root_(root), at_(at) {}

  int stripe() const { return stripe_; }
  /// The core's contribution to this colour is complete.
  void begin(ScheduleActions& actions) { enter(0, actions); }
  /// A segment has arrived; one of a later stage is kept until the core gets there.
  void received(const Segment& segment, ScheduleActions& actions);
  void absorbed(const Segment& segment, ScheduleActions& actions);

  /// The current stage; -1 before begin, the number of stages at the end.
  int phase() const { return phase_; }
  /// Which step of its stage a direction is in, from 1: chunks taken in so far and one.
  std::int64_t step(int direction) const;

 private:
  int phases() const { return int(schedule_->phases(stripe_).size()); }
  void accept(const Segment& segment, ScheduleActions& actions);
  void spread(const Segment& segment, ScheduleActions& actions);
  void enter(int phase, ScheduleActions& actions);
  void leave(ScheduleActions& actions);
  void originate_all(int phase, ScheduleActions& actions);

  const GroupSchedule* schedule_;
  int stripe_;
  bool root_;
  int phase_ = -1;
  noc::Coordinates at_;
  std::int64_t remaining_ = 0;  ///< completions of the current stage still to come
  std::array<std::int64_t, 2> taken_in_{};
  std::vector<Segment> early_;
};

}  // namespace podsim::sw::collectives
