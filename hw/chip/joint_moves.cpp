// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/joint_moves.h"

#include <algorithm>

#include "base/systemc/systemc_time.h"

namespace podsim::hw::chip {

void JointMoves::add(const MoveEnd& end) {
  if (end.running == nullptr) {
    latest_ = std::max(latest_, end.when);
    return;
  }
  if (running_ == nullptr) running_ = std::make_shared<Running>();
  ++running_->left;
  end.running->on_end([running = running_] { ended(*running); });
}

void JointMoves::ended(Running& running) {
  if (--running.left > 0) return;
  running.latest = std::max(running.latest, base::systemc::now());
  if (running.next) running.next(running.latest);
}

void JointMoves::follow(std::function<void(base::Time)> next) {
  running_->latest = std::max(running_->latest, latest_);
  if (running_->left == 0) return next(running_->latest);
  running_->next = std::move(next);
}

}  // namespace podsim::hw::chip
