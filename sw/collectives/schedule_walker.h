// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sw/collectives/schedule.h"

/// One core's progress through one colour of a collective: which stage it is in, what it waits for. The executor tells
/// it what happened and carries out what it asks for.
namespace podsim::sw {

/// What a walker asks its executor to do.
class ScheduleActions {
 public:
  virtual ~ScheduleActions() = default;
  virtual void stage_entered(int colour, int stage) = 0;
  /// Send every segment of a flow that starts here, read from this core's data; `first` is its segment 0.
  virtual void originate(const Token& first) = 0;
  /// Take in an arrived segment: add this core's contribution (reduce-scatter) or store it; call
  /// ScheduleWalker::absorbed when that is done.
  virtual void absorb(const Token& token) = 0;
  /// Send a segment on: the sum that absorb made, or the data that arrived. `next` is as the next member will see it.
  virtual void forward(const Token& next) = 0;
  /// All that the colour brings has been absorbed.
  virtual void gathered(int colour) = 0;
};

class ScheduleWalker {
 public:
  /// `root`: a broadcast starts here.
  ScheduleWalker(const GroupSchedule& schedule, int colour, const noc::Coordinates& at, bool root)
      : schedule_(&schedule), colour_(colour), root_(root), at_(at) {}

  int colour() const { return colour_; }
  /// The core's contribution to this colour is complete.
  void begin(ScheduleActions& actions) { enter(0, actions); }
  /// A segment has arrived; one of a later stage is kept until the core gets there.
  void received(const Token& token, ScheduleActions& actions);
  void absorbed(const Token& token, ScheduleActions& actions);

  /// The current stage; -1 before begin, the number of stages at the end.
  int stage() const { return stage_; }
  /// Which step of its stage a direction is in, from 1: chunks taken in so far and one.
  std::int64_t step(int direction) const;

 private:
  int stages() const { return int(schedule_->stages(colour_).size()); }
  void accept(const Token& token, ScheduleActions& actions);
  void spread(const Token& token, ScheduleActions& actions);
  void enter(int stage, ScheduleActions& actions);
  void leave(ScheduleActions& actions);
  void originate_all(int stage, ScheduleActions& actions);

  const GroupSchedule* schedule_;
  int colour_;
  bool root_;
  int stage_ = -1;
  noc::Coordinates at_;
  std::int64_t remaining_ = 0;  ///< completions of the current stage still to come
  std::array<std::int64_t, 2> taken_in_{};
  std::vector<Token> early_;
};

}  // namespace podsim::sw
