// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"
#include "hw/direction.h"
#include "hw/machine.h"
#include "hw/op_result.h"

/// One core's HBM as whole transfers use it: a resource that serves claims in order, at the sustained stream rate.
///
///   HBM time = bytes / read_rate + growth of min(read, written) * (1 / mixed_rate - 2 / read_rate)
///   duration = HBM time / share
///
/// read and written count the bytes moved since the HBM was last idle, so that a busy period of r bytes read and w
/// written takes (r + w + turnaround min(r, w)) / stream_rate in total, the law measured for mixed streams, where no
/// port limits the rates (HbmParameters). The share is what an op that runs beside the claims leaves them: half while
/// it has requests waiting, else all that it does not use.
namespace podsim::hw::timing {

class HbmOccupancy {
 public:
  /// `speed`: the fraction of the healthy rate; below 1 for a slow chip.
  explicit HbmOccupancy(const HbmParameters& hbm, double speed = 1)
      : rate_(hbm.read_rate() * speed), turnaround_(hbm.read_rate() / hbm.mixed_rate() - 2) {}

  /// The time at which the last of `bytes` has been read or written, if requested at `now`. Calls are in order of time.
  base::Time claim(base::Time now, Direction direction, base::Bytes bytes);
  /// Sets the share of the claims from now on; 1 at first.
  void set_share(double share) {
    if (contended_) share_ = share;
  }
  /// If `contended` is false, claims and the op beside them each have the HBM to themselves.
  void set_contended(bool contended) { contended_ = contended; }

  /// Makes a record of the claims that find the HBM idle; or takes the claims of a record for those that do, so that a
  /// claim has the HBM for the same time whenever it comes. `claims` outlives this.
  void record_idle(std::vector<bool>& claims) { record_ = &claims; }
  void follow_idle(const std::vector<bool>& claims) { follow_ = &claims; }

  /// A claim, or what is left of some: served from begin to end, with that much HBM time.
  struct Service {
    base::Time begin, end, work;
  };
  /// Keeps the services from `now` on, until stop_keeping().
  void keep_services(base::Time now);
  void stop_keeping() { keeps_ = false; }
  /// In the order of time.
  const std::vector<Service>& services() const { return services_; }

 private:
  bool planned_idle(base::Time now);

  base::Bandwidth rate_;
  double turnaround_;  ///< extra cost per byte of the lesser direction; below 0 where a port lets both move beside
  double share_ = 1;
  base::Time free_at_;
  base::Bytes moved_[2];
  bool contended_ = true, keeps_ = false;
  std::vector<bool>* record_ = nullptr;
  const std::vector<bool>* follow_ = nullptr;
  std::size_t claims_ = 0;  ///< of follow_
  std::vector<Service> services_;
};

/// An op that shares the HBM with claims, at replay level. Its tiles take `tile` each; a tile's data move for `busy`,
/// and computing a tile takes `slack` longer than reading the next one. While claims wait all the time, a tile's data
/// share the HBM with as much of theirs, behind what they have outstanding at the memory, and a tile takes tile':
///
///   tile  = duration / tiles             busy = hbm_busy / tiles
///   slack = max(0, (compute + control) / tiles - busy - read latency)
///   tile' = tile + max(0, busy + outstanding / read_rate - slack)
///   share = 1 - busy / tile'             of the claims
///   price = (tile' - tile) / (tile' - busy)
///
/// so that a second of their HBM time costs the op `price` seconds: one for an op that the HBM bounds. Claims that are
/// rarer than the slack cost nothing. Over every time tile' with `claims` of HBM time the op is delayed by
///
///   min(price * claims, max(0, claims - slack))
class ContendedOp {
 public:
  /// `machine` must outlive the op.
  explicit ContendedOp(const Machine& machine) : machine_(machine) {}
  /// An op that takes `alone` without claims begins at `now`. `hbm` outlives the op's end.
  void begin(HbmOccupancy& hbm, base::Time now, const OpResult& alone);
  /// The end with the claims that there have been so far; never earlier than when it was last asked.
  base::Time end();
  /// The op has ended: claims have the HBM to themselves.
  void finish();

 private:
  void add(const HbmOccupancy::Service& service);
  base::Time delay() const;

  const Machine& machine_;
  HbmOccupancy* hbm_ = nullptr;
  base::Time tile_, slack_;  ///< tile' and slack
  double price_ = 0;
  base::Time end_;                ///< without the delay of the current tile
  std::size_t next_ = 0;          ///< first service that is not counted yet, or in part
  base::Time counted_;            ///< until which it is
  base::Time tile_end_, claims_;  ///< of the current tile
};

}  // namespace podsim::hw::timing
