// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/contended_op.h"

#include <algorithm>
#include <vector>

#include "hw/timing/chip_cycles.h"

namespace podsim::hw::timing {
namespace {

constexpr double min_share = 0.01;  ///< of claims, where tiles are too few for an average

}  // namespace

ContendedOp::ContendedOp(const Machine& machine, const noc::ChipSpeed& speed)
    : machine_(machine), clock_speed_(speed.clock) {
  if (speed.hbm != speed.clock) own_ = in_cycles_of(machine, speed);
}

void ContendedOp::begin(HbmOccupancy& hbm, base::Time now, const TileOp& op, const std::optional<OpResult>& alone) {
  hbm_ = &hbm;
  op_ = &op;
  alone_ = alone;
  start_ = machine_.core_clock().edge_at_or_after(now);
  cycles_ = alone ? alone->cycles : base::Cycles(0);
  counted_ = 0;
  shares_ = {};
  hbm.share_with(this, now);
}

void ContendedOp::finish() {
  hbm_->share_with(nullptr, {});
  hbm_ = nullptr;
}

TilePipeline& ContendedOp::pipeline() {
  if (!pipeline_) pipeline_.emplace(machine());
  return *pipeline_;
}

const OpResult& ContendedOp::alone() {
  if (!alone_) alone_ = pipeline().simulate(*op_);
  return *alone_;
}

base::Cycles ContendedOp::cycles() {
  const auto& claims = hbm_->claims();
  if (counted_ == claims.size()) return cycles_;
  counted_ = claims.size();
  std::vector<HbmStream::Beside> beside;
  for (const HbmOccupancy::Claim& claim : claims) {
    const base::Cycles later = machine_.core_clock().edge_at_or_after(claim.from) - start_;
    beside.push_back({claim.direction, claim.bytes, in_slow_cycles(later, clock_speed_)});
  }
  return cycles_ = std::max(cycles_, pipeline().simulate(*op_, beside).cycles);
}

double ContendedOp::share(const std::array<bool, 2>& claimed) {
  std::optional<double>& known = shares_[std::size_t(claimed[0]) + 2 * std::size_t(claimed[1])];
  if (!known) known = find_share(claimed);
  return *known;
}

double ContendedOp::find_share(const std::array<bool, 2>& claimed) {
  const bool reads = alone().read_bytes > base::Bytes(0), writes = alone().written_bytes > base::Bytes(0);
  if (!reads && !writes) return 1;
  const HbmStream::Shares& shares = pipeline().hbm().shares({reads, writes, claimed[0], claimed[1]});
  const double kept = std::max(shares[0], shares[1]), left = std::max(shares[2], shares[3]);
  const auto tiles = double(std::max<std::int64_t>(1, alone().tiles));
  const double tile = double(alone().cycles.value()) / tiles, busy = double(alone().hbm_busy.value()) / tiles;
  const double compute = double((alone().compute + alone().control).value()) / tiles;
  const double slack = std::max(0.0, compute - busy - double(machine().dma.read_latency.value()));
  const double contended = tile + std::max(0.0, busy * (1 / kept - 1) - slack);
  return contended > 0 ? std::clamp(1 - busy / kept * (1 - left) / contended, min_share, 1.0) : 1;
}

}  // namespace podsim::hw::timing
