// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/schedule_walker.h"

#include <algorithm>
#include <utility>

namespace podsim::sw::collectives::schedule {

void ScheduleWalker::received(const Segment& segment, ScheduleActions& actions) {
  const bool waits = schedule_->concurrent() ? phase_ < 0 : segment.phase > phase_;
  if (waits) {
    early_.push_back(segment);
  } else {
    accept(segment, actions);
  }
}

void ScheduleWalker::accept(const Segment& segment, ScheduleActions& actions) {
  const patterns::Pattern& pattern = schedule_->pattern(segment);
  actions.absorb(segment);
  // A partial sum is forwarded only when this core has added its contribution.
  if (pattern.reduces()) return;
  if (auto next = pattern.onward(segment, schedule_->position(segment, at_))) actions.forward(*next);
  if (!schedule_->concurrent()) return;
  for (int phase = segment.phase + 1; phase < phases(); ++phase) {
    for_each_origin(phase, [&](Segment first) {
      first.number = segment.number;
      actions.forward(first);
    });
  }
}

template <class Send>
void ScheduleWalker::for_each_origin(int phase, Send send) const {
  const Phase& walked = schedule_->phases(stripe_)[std::size_t(phase)];
  const std::int32_t position = at_[std::size_t(walked.dimension)];
  for (std::int32_t i = 0; i < walked.pattern->origins(position); ++i) {
    Segment first = walked.pattern->origin(position, i);
    first.stripe = stripe_;
    first.phase = phase;
    send(first);
  }
}

void ScheduleWalker::absorbed(const Segment& segment, ScheduleActions& actions) {
  const patterns::Pattern& pattern = schedule_->pattern(segment);
  const std::int32_t position = schedule_->position(segment, at_);
  if (segment.phase == phase_) ++absorbed_[segment.direction < 0];
  if (pattern.reduces()) {
    if (auto next = pattern.onward(segment, position)) actions.forward(*next);
  }
  // Only segments that end here count, and they are absorbed before the member leaves the phase; others may be later.
  if (!pattern.ends_here(segment, position)) return;
  if (--remaining_ == 0) leave(actions);
}

void ScheduleWalker::originate_all(int phase, ScheduleActions& actions) {
  for_each_origin(phase, [&](const Segment& first) { actions.originate(first); });
}

std::int64_t ScheduleWalker::completions(int phase) const {
  const Phase& walked = schedule_->phases(stripe_)[std::size_t(phase)];
  return walked.pattern->completions(at_[std::size_t(walked.dimension)]);
}

void ScheduleWalker::enter(int phase, ScheduleActions& actions) {
  phase_ = phase;
  absorbed_.fill(0);
  actions.phase_entered(stripe_, phase);
  if (phase == phases()) return actions.gathered(stripe_);
  if (schedule_->concurrent()) {
    remaining_ = root_ ? 0 : completions(phase);
    for (int along = phase; root_ && along < phases(); ++along) originate_all(along, actions);
  } else {
    remaining_ = completions(phase);
    originate_all(phase, actions);
  }
  if (remaining_ == 0) return leave(actions);
  for (const Segment& segment : std::exchange(early_, {})) received(segment, actions);
}

void ScheduleWalker::leave(ScheduleActions& actions) {
  if (schedule_->concurrent() || phase_ + 1 == phases()) return enter(phases(), actions);
  waits_ = true;
  actions.phase_left(stripe_);
}

std::int64_t ScheduleWalker::step(int direction) const {
  if (phase_ < 0 || phase_ >= phases()) return 1;
  const patterns::Pattern& pattern = *schedule_->phases(stripe_)[std::size_t(phase_)].pattern;
  return 1 + absorbed_[direction < 0] / std::max(1, pattern.segments(direction));
}

}  // namespace podsim::sw::collectives::schedule
