// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "workloads/goodput/nanoseconds.h"
#include "workloads/goodput/site.h"

namespace podsim::workloads::goodput {

/// What is broken of a slice, and when it is repaired. Hosts are exchanged whole, with their chips: a broken one goes
/// into repair, which has people enough for all, and comes back as a spare, or at a position that is empty.
class Damage {
 public:
  Damage(const Site& site, std::int64_t spares) : site_(&site), spares_(spares) {}

  bool dead_host(std::int64_t host) const;
  bool dead_link(noc::LinkId link) const;
  const std::vector<noc::NodeId>& dead_chips() const { return dead_chips_; }
  const std::vector<noc::LinkId>& dead_links() const { return dead_links_; }
  bool none() const { return dead_hosts_.empty() && dead_links_.empty(); }

  void break_host(std::int64_t host, Nanoseconds repaired);
  void break_link(noc::LinkId link, Nanoseconds repaired);
  /// Fills empty positions with spares, as far as there are any. Returns whether there were.
  bool exchange();

  std::optional<Nanoseconds> next_repair() const;
  /// Ends the repairs that are due at a time. Returns whether a position is filled or a link lives again.
  bool repair_until(Nanoseconds time);

 private:
  struct Repair {
    Nanoseconds time;
    std::optional<noc::LinkId> link;  ///< std::nullopt: of a host
    bool operator>(const Repair& other) const { return time > other.time; }
  };
  void revive_host();
  void find_dead_chips();

  const Site* site_;
  std::int64_t spares_;
  std::vector<std::int64_t> dead_hosts_;  ///< positions without a working host, oldest first
  std::vector<noc::NodeId> dead_chips_;
  std::vector<noc::LinkId> dead_links_;
  std::priority_queue<Repair, std::vector<Repair>, std::greater<>> repairs_;
};

}  // namespace podsim::workloads::goodput
