// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "hw/chip/chip_claims.h"
#include "hw/chip/chip_transfers.h"
#include "hw/machine.h"
#include "noc/chip_switch/switch_timing.h"
#include "noc/ici/links.h"

namespace podsim::hw::pod {

/// What transfers take from a chip, without modules: the claims and the switch of a chip::Chip.
class BareChip : public chip::ChipTransfers {
 public:
  explicit BareChip(const Machine& machine, const noc::ChipSpeed& speed = {});

  chip::ChipClaims& claims() { return claims_; }

  chip::MoveEnd move(base::Time now, const chip::Move& move) override;
  base::Time copy_latency() const override { return claims_.copy_latency(); }
  base::Time compute(int core, base::Time ready, const VectorWork& work) override;
  base::Time slowed(base::Time healthy) const override { return claims_.slowed(healthy); }

 private:
  chip::ChipClaims claims_;
  noc::chip_switch::SwitchTiming switch_;
};

/// The links and chips of an idle pod without SystemC, for one client that has the time to itself: the same links and
/// the same claims on chips as in a Pod, so all times are the same.
class BarePod {
 public:
  BarePod(const Machine& machine, const noc::FoldedTopology& topology, const noc::Faults& faults = {});

  noc::ici::Links& links() { return links_; }
  const noc::ici::Links& links() const { return links_; }
  /// The chip of a representative node.
  BareChip& chip(noc::NodeId node) { return chips_[std::size_t(node)]; }

 private:
  noc::ici::Links links_;
  std::deque<BareChip> chips_;
};

}  // namespace podsim::hw::pod
