// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace podsim::hw::parts::hbm {

/// The location of a burst in one core's half of the HBM.
struct DramAddress {
  int channel = 0;
  int pseudo_channel = 0;  ///< in its channel
  int bank_group = 0;      ///< in its pseudo-channel
  int bank = 0;            ///< in its group
  std::int64_t row = 0;
  std::int64_t column = 0;  ///< in bursts
  bool operator==(const DramAddress&) const = default;
};

}  // namespace podsim::hw::parts::hbm
