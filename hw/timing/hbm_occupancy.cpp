// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/hbm_occupancy.h"

#include <algorithm>

namespace podsim::hw::timing {
namespace {

base::Time scaled(base::Time time, double factor) {
  return factor == 1 ? time : base::to_time(base::to_duration(time) * factor);
}

}  // namespace

base::Time HbmOccupancy::claim(base::Time now, Direction direction, base::Bytes bytes) {
  if (now > free_at_) moved_[0] = moved_[1] = base::Bytes(0);
  const base::Bytes before = std::min(moved_[0], moved_[1]);
  moved_[std::size_t(direction)] += bytes;
  const base::Bytes mixed = std::min(moved_[0], moved_[1]) - before;
  const base::DataSize cost(double(bytes.value()) + turnaround_ * double(mixed.value()));
  const base::Time work = base::to_time(cost / rate_);
  claimed_ += work;
  return free_at_ = std::max(now, free_at_) + scaled(work, 1 / share_);
}

base::Time HbmOccupancy::served(base::Time time) const {
  return claimed_ - scaled(std::max(base::Time(0), free_at_ - time), share_);
}

void ContendedOp::begin(HbmOccupancy& hbm, base::Time now, base::Time duration, base::Time busy) {
  hbm_ = &hbm;
  begin_ = now;
  duration_ = duration;
  busy_ = std::min(busy, duration);
  served_before_ = hbm.served(now);
  const double use = duration.value() > 0 ? double(busy_.value()) / double(duration.value()) : 0;
  hbm.set_share(std::max(0.5, 1 - use));
}

base::Time ContendedOp::end() const {
  const auto with_claims = [&](base::Time end) {
    return begin_ + std::max(duration_, busy_ + hbm_->served(end) - served_before_);
  };
  const base::Time all_served = with_claims(hbm_->free_at());
  if (all_served >= hbm_->free_at()) return all_served;
  // The op ends while claims wait, at the time at which what was served until then leaves it enough: with s their
  // share, end = begin + busy + (served at free_at) - s (free_at - end).
  const double share = hbm_->share();
  const double left = double((busy_ + hbm_->served(hbm_->free_at()) - served_before_).value());
  const double until_free = double((hbm_->free_at() - begin_).value());
  const double taken = share < 1 ? (left - share * until_free) / (1 - share) : 0;
  return begin_ + std::max(duration_, base::Time(std::int64_t(taken)));
}

}  // namespace podsim::hw::timing
