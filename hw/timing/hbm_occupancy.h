// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "hw/direction.h"
#include "hw/machine.h"

/// One core's HBM as whole transfers use it: a resource that serves claims in order, at the sustained stream rate.
///
///   HBM time = (bytes + turnaround * growth of min(read, written)) / stream_rate
///   duration = HBM time / share
///
/// read and written count the bytes moved since the HBM was last idle, so that a busy period of r bytes read and w
/// written takes (r + w + turnaround min(r, w)) / stream_rate in total, the law measured for mixed streams. The share
/// is what an op that runs beside the claims leaves them: half while it has requests waiting, else all that it does not
/// use.
namespace podsim::hw::timing {

class HbmOccupancy {
 public:
  /// `speed`: the fraction of the healthy rate; below 1 for a slow chip.
  explicit HbmOccupancy(const HbmParameters& hbm, double speed = 1)
      : rate_(hbm.stream_rate * speed), turnaround_(hbm.turnaround) {}

  /// The time at which the last of `bytes` has been read or written, if requested at `now`. Calls are in order of time.
  base::Time claim(base::Time now, Direction direction, base::Bytes bytes);
  /// Sets the share of the claims from now on; 1 at first.
  void set_share(double share) { share_ = share; }
  /// HBM time of all claims that were served until `time`, which is not before the last claim.
  base::Time served(base::Time time) const;
  /// Time at which the last claim is served.
  base::Time free_at() const { return free_at_; }
  double share() const { return share_; }

 private:
  base::Bandwidth rate_;
  double turnaround_;
  double share_ = 1;
  base::Time free_at_;
  base::Time claimed_;  ///< HBM time of all claims
  base::Bytes moved_[2];
};

/// An op that shares the HBM with claims, at replay level. It has had its own duration, and the HBM, less what it gave
/// to claims, has moved the op's data; whichever comes later is its end:
///
///   end = start + max(duration, busy + HBM time of the claims served from start to end)
///
/// While claims wait they have the HBM for max(1/2, 1 - busy / duration) of the time. An op that leaves the HBM idle
/// for longer than the claims need is therefore not delayed, and one that never does is delayed by their whole time.
class ContendedOp {
 public:
  /// An op begins at `now`, which alone takes `duration` and moves data for `busy` of it. `hbm` outlives the op's end.
  void begin(HbmOccupancy& hbm, base::Time now, base::Time duration, base::Time busy);
  /// The end with the claims that there have been so far.
  base::Time end() const;
  /// The op has ended: claims have the HBM to themselves.
  void finish() { hbm_->set_share(1); }

 private:
  HbmOccupancy* hbm_ = nullptr;
  base::Time begin_, duration_, busy_, served_before_;
};

}  // namespace podsim::hw::timing
