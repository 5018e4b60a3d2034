// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "hw/memory/dram/memory_stream.h"
#include "hw/memory/dram/memory_system.h"
#include "hw/trace.h"

namespace podsim::hw::memory::dram {

/// Cost of running traffic through one core's half of the HBM, in clocks of the memory.
struct MemoryTrafficResult {
  std::array<base::Bytes, 2> bytes;     ///< by Direction
  base::Cycles clocks;                  ///< from the first request to the last data
  std::vector<base::Cycles> latencies;  ///< of all granules, from issue to last data, ascending
  BusShares shares;                     ///< data pins of all pseudo-channels
  std::int64_t bursts = 0, activates = 0, refreshes = 0;

  base::Bytes moved() const { return bytes[0] + bytes[1]; }
  /// Share of bursts that found their row open: those for which no row was opened. A row may be opened twice for one
  /// burst, when a refresh intervenes.
  double row_hit_rate() const { return activates >= bursts ? 0 : 1 - double(activates) / double(bursts); }
};

/// Outputs of a run while it is in progress. All members may be empty.
struct MemoryTrafficWatch {
  std::function<void(double)> progress = {};  ///< called with the fraction of the bytes that have moved
  MemoryTrafficResult* partial = nullptr;     ///< receives the cost so far of a run that is interrupted
};

/// Runs streams that begin together, each in its own lane of a GranuleIssuer with `outstanding` granules. The trace, if
/// it has a sink, shows the channels (MemoryTrace). Throws base::host::Interrupted when the program is interrupted.
MemoryTrafficResult run_memory_traffic(const parts::hbm::DramParameters& parameters,
                                       std::span<const MemoryStream> streams, std::int64_t outstanding,
                                       const Trace& trace = {}, const MemoryTrafficWatch& watch = {});

}  // namespace podsim::hw::memory::dram
