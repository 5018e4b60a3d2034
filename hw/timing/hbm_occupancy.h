// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/units.h"
#include "hw/machine.h"

/// One core's HBM as whole transfers use it: a resource that serves claims in order, at the sustained stream rate.
///
///   duration = (bytes + turnaround * growth of min(read, written)) / stream_rate
///
/// read and written count the bytes moved since the HBM was last idle, so that a busy period of r bytes read and w
/// written takes (r + w + turnaround min(r, w)) / stream_rate in total, the law measured for mixed streams.
namespace podsim::hw::timing {

class HbmOccupancy {
 public:
  /// `speed`: the fraction of the healthy rate; below 1 for a slow chip.
  explicit HbmOccupancy(const HbmParameters& hbm, double speed = 1)
      : rate_(hbm.stream_rate * speed), turnaround_(hbm.turnaround) {}

  /// The time at which the last of `bytes` has been read or written, if requested at `now`. Calls are in order of time.
  base::Time read(base::Time now, base::Bytes bytes) { return claim(now, bytes, read_, written_); }
  base::Time write(base::Time now, base::Bytes bytes) { return claim(now, bytes, written_, read_); }

 private:
  base::Time claim(base::Time now, base::Bytes bytes, base::Bytes& moved, base::Bytes other) {
    if (now > free_at_) read_ = written_ = other = base::Bytes(0);
    base::Bytes before = std::min(moved, other);
    moved += bytes;
    base::Bytes mixed = std::min(moved, other) - before;
    base::DataSize cost(double(bytes.value()) + turnaround_ * double(mixed.value()));
    return free_at_ = std::max(now, free_at_) + base::to_time(cost / rate_);
  }

  base::Bandwidth rate_;
  double turnaround_;
  base::Time free_at_;
  base::Bytes read_, written_;
};

}  // namespace podsim::hw::timing
