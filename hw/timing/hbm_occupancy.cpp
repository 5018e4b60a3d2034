// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/hbm_occupancy.h"

#include <algorithm>
#include <cmath>

namespace podsim::hw::timing {
namespace {

base::Time scaled(base::Time time, double factor) {
  return factor == 1 ? time : base::to_time(base::to_duration(time) * factor);
}

}  // namespace

bool HbmOccupancy::planned_idle(base::Time now) {
  const bool idle = follow_ != nullptr && claims_ < follow_->size() ? (*follow_)[claims_++] : now > free_at_;
  if (record_ != nullptr) record_->push_back(idle);
  return idle;
}

base::Time HbmOccupancy::claim(base::Time now, Direction direction, base::Bytes bytes) {
  const bool planned = follow_ != nullptr || record_ != nullptr;
  if (planned ? planned_idle(now) : now > free_at_) moved_[0] = moved_[1] = base::Bytes(0);
  const base::Bytes before = std::min(moved_[0], moved_[1]);
  moved_[std::size_t(direction)] += bytes;
  const base::Bytes mixed = std::min(moved_[0], moved_[1]) - before;
  const base::DataSize cost(double(bytes.value()) + turnaround_ * double(mixed.value()));
  const base::Time work = base::to_time(cost / rate_);
  const base::Time begin = std::max(now, free_at_);
  const std::array<bool, 2> claimed{moved_[0] > base::Bytes(0), moved_[1] > base::Bytes(0)};
  free_at_ = begin + (op_ != nullptr ? scaled(work, 1 / op_->share(claimed)) : work);
  while (!unserved_.empty() && unserved_.front().end <= now) unserved_.pop_front();
  const bool goes_on = !unserved_.empty() && unserved_.back().direction != direction;
  unserved_.push_back({direction, bytes, goes_on ? std::max(now, unserved_.back().begin) : begin, begin, free_at_});
  if (op_ != nullptr) beside_.push_back(unserved_.back());
  return free_at_;
}

void HbmOccupancy::share_with(HbmSharer* op, base::Time now) {
  if (!contended_) return;
  op_ = op;
  beside_.clear();
  if (op_ == nullptr) return;
  for (const Claim& claim : unserved_) {
    const base::Time begin = std::max(now, claim.begin);
    if (claim.end <= begin) continue;
    const double left = double((claim.end - begin).value()) / double((claim.end - claim.begin).value());
    beside_.push_back({claim.direction, base::Bytes(std::llround(double(claim.bytes.value()) * left)),
                       std::max(now, claim.from), begin, claim.end});
  }
}

}  // namespace podsim::hw::timing
