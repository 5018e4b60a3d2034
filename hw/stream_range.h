// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/config.h"
#include "base/units.h"

/// What the sustained rates of contiguous HBM streams depend on besides [hbm] and [hbm_timing], and their range.
namespace podsim::hw {

constexpr base::Bandwidth least_stream_rate(1e9);
constexpr double least_write_cost = 0.1, most_write_cost = 10;
constexpr double most_turnaround = 10;  ///< bytes per byte

/// Reads [dma] outstanding_granules. InputError for a value out of its range, at the location that set it.
std::int64_t read_outstanding_granules(const base::Config& config);

}  // namespace podsim::hw
