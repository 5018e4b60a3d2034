// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/config.h"
#include "hw/parts/hbm/dram_parameters.h"

/// Measures the tile level's constants of contiguous HBM streams on the banks (StreamRates). They are keys of [hbm] in
/// workloads/machines/<machine>.memory.toml, next to a fingerprint of the values that they were measured with.
namespace podsim::hw::memory::dram {

struct StreamConstants {
  base::Bandwidth stream_rate;  ///< reads alone
  double write_cost = 1;        ///< time of a byte written alone, in times of a byte read alone
  double turnaround = 0;        ///< 2 stream_rate / (rates of concurrent reads + writes) - 2, at least 0
};

StreamConstants derive_stream_constants(const parts::hbm::DramParameters& parameters, std::int64_t outstanding);

/// A short text that differs if any value differs that the rates depend on: the keys of [hbm] and [hbm_timing] except
/// the constants themselves, and the number of granules that a DMA engine keeps in flight.
std::string memory_fingerprint(const base::Config& config);

/// The constants of the configured memory, as the text of a built-in machine's .memory.toml file.
std::string stream_constants_toml(const base::Config& config);

/// Measures the constants again if the memory differs from the one that they were measured with, and returns whether it
/// did. Values set by the user stay. Equal memories are measured once per process.
bool recalibrate_streams(base::Config& config);

}  // namespace podsim::hw::memory::dram
