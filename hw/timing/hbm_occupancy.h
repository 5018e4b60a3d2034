// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <vector>

#include "base/units.h"
#include "hw/direction.h"
#include "hw/machine.h"

/// One core's HBM as whole transfers use it: a resource that serves claims in order, at the sustained stream rate.
///
///   HBM time = bytes / read_rate + growth of min(read, written) * (1 / mixed_rate - 2 / read_rate)
///   duration = HBM time / share
///
/// read and written count the bytes moved since the HBM was last idle, so that a busy period of r bytes read and w
/// written takes (r + w + turnaround min(r, w)) / stream_rate in total, the law measured for mixed streams, where no
/// port limits the rates (parts::hbm::Parameters). The share is what an op that runs concurrently leaves the claims
/// (HbmSharer).
namespace podsim::hw::timing {

/// An op that shares the HBM with claims.
class HbmSharer {
 public:
  virtual ~HbmSharer() = default;
  /// The share of the HBM's time that claims of these directions have while the op runs, above 0.
  virtual double share(const std::array<bool, 2>& claimed) = 0;
};

class HbmOccupancy {
 public:
  explicit HbmOccupancy(const parts::hbm::Parameters& hbm)
      : rate_(hbm.read_rate()), turnaround_(hbm.read_rate() / hbm.mixed_rate() - 2) {}

  /// The time at which the last of `bytes` has been read or written, if requested at `now`. Calls are in order of time.
  base::Time claim(base::Time now, Direction direction, base::Bytes bytes);
  /// If `contended` is false, claims and a concurrent op each have the full rate of the HBM.
  void set_contended(bool contended) { contended_ = contended; }

  /// Makes a record of the claims that find the HBM idle; or takes the claims of a record for those that do, so that a
  /// claim has the HBM for the same time whenever it comes. `claims` outlives this.
  void record_idle(std::vector<bool>& claims) { record_ = &claims; }
  void follow_idle(const std::vector<bool>& claims) { follow_ = &claims; }

  /// A claim that is served from begin to end. While an op runs, the claim's data move from `from` on: a read and the
  /// write behind it move concurrently.
  struct Claim {
    Direction direction = Direction::read;
    base::Bytes bytes;
    base::Time from, begin, end;
  };
  /// An op runs from `now` on, concurrently with later claims and with the rest of earlier ones; nullptr: no op runs.
  /// Does nothing if claims are not contended. `op` outlives the next call.
  void share_with(HbmSharer* op, base::Time now);
  /// The claims since the op began, in the order of time; the rest of an earlier claim begins with the op.
  const std::vector<Claim>& claims() const { return beside_; }

 private:
  bool planned_idle(base::Time now);

  base::Bandwidth rate_;
  double turnaround_;  ///< extra cost per byte of the lesser direction; below 0 where a port limits one direction alone
  HbmSharer* op_ = nullptr;
  base::Time free_at_;
  base::Bytes moved_[2];
  bool contended_ = true;
  std::deque<Claim> unserved_;  ///< at the last claim
  std::vector<Claim> beside_;
  std::vector<bool>* record_ = nullptr;
  const std::vector<bool>* follow_ = nullptr;
  std::size_t claims_ = 0;  ///< of follow_
};

}  // namespace podsim::hw::timing
