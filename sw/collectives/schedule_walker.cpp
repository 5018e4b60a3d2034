// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule_walker.h"

#include <algorithm>
#include <utility>

namespace podsim::sw {

void ScheduleWalker::received(const Token& token, ScheduleActions& actions) {
  const bool waits = schedule_->stage_of(token).kind == StageKind::broadcast ? stage_ < 0 : token.stage > stage_;
  if (waits) {
    early_.push_back(token);
  } else {
    accept(token, actions);
  }
}

void ScheduleWalker::accept(const Token& token, ScheduleActions& actions) {
  // Finished data goes on at once; a partial sum only when this core has added its own.
  const StageKind kind = schedule_->stage_of(token).kind;
  actions.absorb(token);
  if (kind == StageKind::broadcast) spread(token, actions);
  if (kind != StageKind::all_gather && kind != StageKind::exchange) return;
  if (auto next = schedule_->onward(token, at_)) actions.forward(*next);
}

/// A segment of a broadcast goes on along its dimension and starts along the later ones.
void ScheduleWalker::spread(const Token& token, ScheduleActions& actions) {
  if (auto next = schedule_->onward(token, at_)) actions.forward(*next);
  for (int stage = token.stage + 1; stage < stages(); ++stage) {
    schedule_->for_each_origin(colour_, stage, at_, [&](Token first) {
      first.segment = token.segment;
      actions.forward(first);
    });
  }
}

void ScheduleWalker::absorbed(const Token& token, ScheduleActions& actions) {
  const StageKind kind = schedule_->stage_of(token).kind;
  if (token.stage == stage_) ++taken_in_[token.direction < 0];
  if (kind == StageKind::reduce_scatter) {
    if (auto next = schedule_->onward(token, at_)) actions.forward(*next);
    if (!schedule_->ends_here(token, at_)) return;
  }
  // Only a member's own chunks count, and those come in before it leaves the stage.
  if (--remaining_ == 0) leave(actions);
}

void ScheduleWalker::originate_all(int stage, ScheduleActions& actions) {
  schedule_->for_each_origin(colour_, stage, at_, [&](const Token& first) { actions.originate(first); });
}

void ScheduleWalker::enter(int stage, ScheduleActions& actions) {
  stage_ = stage;
  taken_in_.fill(0);
  actions.stage_entered(colour_, stage);
  if (stage == stages()) return actions.gathered(colour_);
  if (schedule_->kind() == CollectiveKind::broadcast) {
    remaining_ = root_ ? 0 : schedule_->completions(colour_, stage, at_);
    for (int along = stage; root_ && along < stages(); ++along) originate_all(along, actions);
  } else {
    remaining_ = schedule_->completions(colour_, stage, at_);
    originate_all(stage, actions);
  }
  if (remaining_ == 0) return leave(actions);
  for (const Token& token : std::exchange(early_, {})) received(token, actions);
}

void ScheduleWalker::leave(ScheduleActions& actions) {
  enter(schedule_->kind() == CollectiveKind::broadcast ? stages() : stage_ + 1, actions);
}

std::int64_t ScheduleWalker::step(int direction) const {
  if (stage_ < 0 || stage_ >= stages()) return 1;
  const Stage& stage = schedule_->stages(colour_)[std::size_t(stage_)];
  return 1 + taken_in_[direction < 0] / std::max(1, stage.segments[direction < 0]);
}

}  // namespace podsim::sw
