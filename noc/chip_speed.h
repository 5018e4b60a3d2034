// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::noc {

/// How fast a chip is, as fractions of a healthy one.
struct ChipSpeed {
  double clock = 1;  ///< of its core clock: everything but the HBM takes 1 / clock of its time
  double hbm = 1;    ///< of the rate of its HBM
  bool operator==(const ChipSpeed&) const = default;
  bool healthy() const { return clock == 1 && hbm == 1; }
};

}  // namespace podsim::noc
