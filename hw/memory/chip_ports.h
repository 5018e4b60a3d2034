// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"

namespace podsim::hw {

/// Who has which port of a chip's on-chip switch (ISCA21: cores, HBM halves, ICI links and the host).
class ChipPorts {
 public:
  static constexpr int ici_links = 4;

  explicit ChipPorts(const Machine& machine) : cores_(int(machine.cores_per_chip)) {}

  int cores() const { return cores_; }
  int core(int index) const { return index; }
  int hbm(int core) const { return cores_ + core; }
  int ici(int link) const { return 2 * cores_ + link; }
  int host() const { return 2 * cores_ + ici_links; }
  int count() const { return host() + 1; }

 private:
  int cores_;
};

}  // namespace podsim::hw
