// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule_walker.h"

#include <algorithm>
#include <utility>

namespace podsim::sw::collectives {

void ScheduleWalker::received(const Segment& segment, ScheduleActions& actions) {
  const bool waits = schedule_->phase_of(segment).kind == PhaseKind::broadcast ? phase_ < 0 : segment.phase > phase_;
  if (waits) {
    early_.push_back(segment);
  } else {
    accept(segment, actions);
  }
}

void ScheduleWalker::accept(const Segment& segment, ScheduleActions& actions) {
  // Finished data goes on at once; a partial sum only when this core has added its own.
  const PhaseKind kind = schedule_->phase_of(segment).kind;
  actions.absorb(segment);
  if (kind == PhaseKind::broadcast) spread(segment, actions);
  if (kind != PhaseKind::all_gather && kind != PhaseKind::exchange) return;
  if (auto next = schedule_->onward(segment, at_)) actions.forward(*next);
}

/// A segment of a broadcast goes on along its dimension and starts along the later ones.
void ScheduleWalker::spread(const Segment& segment, ScheduleActions& actions) {
  if (auto next = schedule_->onward(segment, at_)) actions.forward(*next);
  for (int phase = segment.phase + 1; phase < phases(); ++phase) {
    schedule_->for_each_origin(stripe_, phase, at_, [&](Segment first) {
      first.number = segment.number;
      actions.forward(first);
    });
  }
}

void ScheduleWalker::absorbed(const Segment& segment, ScheduleActions& actions) {
  const PhaseKind kind = schedule_->phase_of(segment).kind;
  if (segment.phase == phase_) ++taken_in_[segment.direction < 0];
  if (kind == PhaseKind::reduce_scatter) {
    if (auto next = schedule_->onward(segment, at_)) actions.forward(*next);
    if (!schedule_->ends_here(segment, at_)) return;
  }
  // Only a member's own chunks count, and those come in before it leaves the stage.
  if (--remaining_ == 0) leave(actions);
}

void ScheduleWalker::originate_all(int phase, ScheduleActions& actions) {
  schedule_->for_each_origin(stripe_, phase, at_, [&](const Segment& first) { actions.originate(first); });
}

void ScheduleWalker::enter(int phase, ScheduleActions& actions) {
  phase_ = phase;
  taken_in_.fill(0);
  actions.phase_entered(stripe_, phase);
  if (phase == phases()) return actions.gathered(stripe_);
  if (schedule_->kind() == CollectiveKind::broadcast) {
    remaining_ = root_ ? 0 : schedule_->completions(stripe_, phase, at_);
    for (int along = phase; root_ && along < phases(); ++along) originate_all(along, actions);
  } else {
    remaining_ = schedule_->completions(stripe_, phase, at_);
    originate_all(phase, actions);
  }
  if (remaining_ == 0) return leave(actions);
  for (const Segment& segment : std::exchange(early_, {})) received(segment, actions);
}

void ScheduleWalker::leave(ScheduleActions& actions) {
  enter(schedule_->kind() == CollectiveKind::broadcast ? phases() : phase_ + 1, actions);
}

std::int64_t ScheduleWalker::step(int direction) const {
  if (phase_ < 0 || phase_ >= phases()) return 1;
  const Phase& phase = schedule_->phases(stripe_)[std::size_t(phase_)];
  return 1 + taken_in_[direction < 0] / std::max(1, phase.segments[direction < 0]);
}

}  // namespace podsim::sw::collectives
