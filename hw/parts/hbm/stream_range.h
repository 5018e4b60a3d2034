// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters/value_kinds.h"

/// What the sustained rates of contiguous HBM streams depend on besides [hbm_timing], and their range.
namespace podsim::hw::parts::hbm {

constexpr base::Bandwidth min_stream_rate(1e9);
constexpr double min_write_cost = 0.1, max_write_cost = 10;
constexpr double max_turnaround = 10;  ///< bytes per byte

/// Granules that wait at the memory.
inline base::parameters::kind::Whole outstanding_granules() { return base::parameters::kind::positive(65536); }

/// A core's half of the memory.
struct HbmCapacity {
  base::Bytes operator()(const base::parameters::Reading& reading, const std::string& key) const;
};

}  // namespace podsim::hw::parts::hbm
