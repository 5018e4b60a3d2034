// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "base/units.h"
#include "hw/machine.h"
#include "hw/op_result.h"
#include "hw/tile_op.h"
#include "hw/timing/hbm_occupancy.h"
#include "hw/timing/tile_pipeline.h"
#include "noc/chip_speed.h"

namespace podsim::hw::timing {

/// An op that shares the HBM with claims, at tile and at replay level. Both sides have the law of HbmStream.
///
/// The op takes as long as its pipeline with the claims as transfers concurrent with its requests. At tile level the
/// units and the stream of the op simulate them; cycles() computes the same time by the recurrence (TilePipeline).
///
/// The claims have a share of the HBM's time. Without them each tile of the op lasts `tile`, of which its data move for
/// `busy`, and computing a tile takes `slack` longer than reading the next one. While claims wait all the time, a
/// tile's data move at `kept` of their rate, and the claims move at `left` of theirs meanwhile (HbmStream::shares()):
///
///   tile  = duration / tiles             busy = hbm_busy / tiles
///   slack = max(0, (compute + control) / tiles - busy - read latency)
///   tile' = tile + max(0, busy (1 / kept - 1) - slack)
///   share = 1 - busy / kept (1 - left) / tile'
///
/// On a slow chip all cycles are those of its slow clock, in which its HBM has hbm / clock of its rate, and claims come
/// clock times as many cycles after the op has begun.
class ContendedOp : private HbmSharer {
 public:
  /// `machine` must outlive the op; it is that of healthy chips.
  explicit ContendedOp(const Machine& machine, const noc::ChipSpeed& speed = {});
  ContendedOp(const ContendedOp&) = delete;
  ContendedOp& operator=(const ContendedOp&) = delete;

  /// An op begins at `now`, an edge of the clock. `hbm` and `op` outlive its end. `alone` is its result without claims;
  /// computed when needed if it is not given.
  void begin(HbmOccupancy& hbm, base::Time now, const TileOp& op, const std::optional<OpResult>& alone = {});
  /// The cycles that the op takes with the claims that there have been so far.
  base::Cycles cycles();
  /// The op has ended: claims have the HBM to themselves.
  void finish();
  /// Between begin() and finish().
  bool runs() const { return hbm_ != nullptr; }
  /// The machine in cycles of the chip's clock.
  const Machine& machine() const { return own_ ? *own_ : machine_; }

 private:
  double share(const std::array<bool, 2>& claimed) override;
  double find_share(const std::array<bool, 2>& claimed);
  const OpResult& alone();
  TilePipeline& pipeline();

  const Machine& machine_;
  double clock_speed_;
  std::optional<Machine> own_;  ///< of a chip with other cycles of the HBM
  HbmOccupancy* hbm_ = nullptr;
  const TileOp* op_ = nullptr;
  std::optional<OpResult> alone_;
  base::Cycles start_, cycles_;
  std::size_t counted_ = 0;                      ///< claims that cycles_ contains
  std::array<std::optional<double>, 4> shares_;  ///< by the directions claimed, as bits
  std::optional<TilePipeline> pipeline_;         ///< made for the first op with concurrent claims
};

}  // namespace podsim::hw::timing
