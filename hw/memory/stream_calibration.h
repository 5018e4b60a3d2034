// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/config.h"
#include "hw/memory/dram_parameters.h"

/// The tile level's constants of contiguous HBM streams, measured on the banks (StreamRates). They are keys of [hbm]
/// in workloads/machines/<machine>.memory.toml, next to a fingerprint of the values that they were measured with.
namespace podsim::hw {

struct StreamConstants {
  base::Bandwidth stream_rate;  ///< reads alone
  double write_cost = 1;        ///< time of a byte written alone, in times of a byte read alone
  double turnaround = 0;        ///< 2 stream_rate / (rate of reads + rate of writes, side by side) - 2
};

StreamConstants derive_stream_constants(const DramParameters& parameters, std::int64_t outstanding);

/// A short text that differs when any value differs that rates depend on: [hbm] and [hbm_timing] but for the constants
/// themselves, and the granules that a DMA engine keeps on their way.
std::string memory_fingerprint(const base::Config& config);

/// The constants of the configuration's memory as the file that a built-in machine has them from.
std::string stream_constants_toml(const base::Config& config);

/// Measures the constants anew if the memory is not the one that they were measured with. What a user has set himself
/// stays. Whether it did.
bool recalibrate_streams(base::Config& config);

}  // namespace podsim::hw
