// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule_walker.h"

#include <algorithm>

namespace podsim::sw {

void ScheduleWalker::received(const Token& token, ScheduleActions& actions) {
  if (token.stage > stage_) {
    early_.push_back(token);
  } else {
    accept(token, actions);
  }
}

void ScheduleWalker::accept(const Token& token, ScheduleActions& actions) {
  // Finished data goes on at once; a partial sum only when this core has added its own.
  if (stage_of(token).kind == StageKind::all_gather) {
    if (auto next = schedule_->onward(token, at_[stage_of(token).dimension])) actions.forward(token, *next);
  }
  actions.absorb(token);
}

void ScheduleWalker::absorbed(const Token& token, ScheduleActions& actions) {
  const Stage& stage = stage_of(token);
  if (token.stage == stage_) ++taken_in_[token.direction < 0];
  if (stage.kind == StageKind::reduce_scatter) {
    if (auto next = schedule_->onward(token, at_[stage.dimension])) return actions.forward(token, *next);
  }
  // Only a chip's own chunks count, and those come in before it leaves the stage.
  if (--remaining_ == 0) enter(stage_ + 1, actions);
}

void ScheduleWalker::enter(int stage, ScheduleActions& actions) {
  stage_ = stage;
  taken_in_[0] = taken_in_[1] = 0;
  const auto& stages = schedule_->stages(colour_);
  actions.stage_entered(colour_, stage);
  if (stage == int(stages.size())) return actions.gathered(colour_);
  std::int32_t position = at_[stages[stage].dimension];
  remaining_ = schedule_->completions(colour_, stage, position);
  schedule_->for_each_origin(colour_, stage, position, [&](const Token& first) { actions.originate(first); });
  std::vector<Token> early = std::move(early_);
  early_.clear();
  for (const Token& token : early) received(token, actions);
}

std::int64_t ScheduleWalker::step(int direction) const {
  const auto& stages = schedule_->stages(colour_);
  if (stage_ < 0 || stage_ >= int(stages.size())) return 1;
  std::int64_t segments = std::max(1, schedule_->segments(stages[stage_], direction));
  return 1 + taken_in_[direction < 0] / segments;
}

}  // namespace podsim::sw
