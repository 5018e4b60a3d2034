// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/machine.h"

namespace podsim::hw::memory::banks {

/// Port numbers of a chip's on-chip switch, which joins cores, HBM halves, ICI links and the host (ISCA21).
class ChipPorts {
 public:
  explicit ChipPorts(const Machine& machine)
      : cores_(int(machine.cores_per_chip)), links_(2 * int(machine.pod.dimensions.size())) {}

  int cores() const { return cores_; }
  int links() const { return links_; }  ///< links of the inter-chip interconnect
  int core(int index) const { return index; }
  int hbm(int core) const { return cores_ + core; }
  int ici(int link) const { return 2 * cores_ + link; }
  int host() const { return 2 * cores_ + links_; }
  int count() const { return host() + 1; }
  /// "core0", "hbm1", "link2", "host".
  std::string name(int port) const {
    if (port < cores_) return "core" + std::to_string(port);
    if (port < 2 * cores_) return "hbm" + std::to_string(port - cores_);
    return port == host() ? "host" : "link" + std::to_string(port - 2 * cores_);
  }
  /// The link that leaves along a dimension, forwards, or backwards if `direction` is below zero.
  static int link(int dimension, int direction) { return 2 * dimension + (direction < 0 ? 1 : 0); }

 private:
  int cores_, links_;
};

}  // namespace podsim::hw::memory::banks
