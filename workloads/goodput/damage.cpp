// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/damage.h"

#include <algorithm>

namespace podsim::workloads::goodput {

bool Damage::dead_host(std::int64_t host) const { return std::ranges::find(dead_hosts_, host) != dead_hosts_.end(); }

bool Damage::dead_link(noc::LinkId link) const { return std::ranges::find(dead_links_, link) != dead_links_.end(); }

void Damage::break_host(std::int64_t host, Nanoseconds repaired) {
  dead_hosts_.push_back(host);
  repairs_.push({repaired, std::nullopt});
  find_dead_chips();
}

void Damage::break_link(noc::LinkId link, Nanoseconds repaired) {
  dead_links_.push_back(link);
  repairs_.push({repaired, link});
}

bool Damage::exchange() {
  bool exchanged = false;
  for (; spares_ > 0 && !dead_hosts_.empty(); --spares_) {
    revive_host();
    exchanged = true;
  }
  return exchanged;
}

std::optional<Nanoseconds> Damage::next_repair() const {
  return repairs_.empty() ? std::nullopt : std::optional(repairs_.top().time);
}

bool Damage::repair_until(Nanoseconds time) {
  bool revived = false;
  for (; !repairs_.empty() && repairs_.top().time <= time; repairs_.pop()) {
    if (const auto link = repairs_.top().link) {
      std::erase(dead_links_, *link);
      revived = true;
    } else if (dead_hosts_.empty()) {
      ++spares_;
    } else {
      revive_host();
      revived = true;
    }
  }
  return revived;
}

void Damage::revive_host() {
  dead_hosts_.erase(dead_hosts_.begin());
  find_dead_chips();
}

void Damage::find_dead_chips() {
  dead_chips_.clear();
  for (const std::int64_t host : dead_hosts_) {
    const std::vector<noc::NodeId>& chips = site_->chips_of(host);
    dead_chips_.insert(dead_chips_.end(), chips.begin(), chips.end());
  }
}

}  // namespace podsim::workloads::goodput
