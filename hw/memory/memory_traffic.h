// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "hw/memory/memory_stream.h"
#include "hw/memory/memory_system.h"
#include "hw/trace.h"

namespace podsim::hw {

/// What a run of traffic through one core's half of the HBM took, in clocks of the memory.
struct MemoryTrafficResult {
  std::array<base::Bytes, 2> bytes;     ///< by Direction
  base::Cycles clocks;                  ///< from the first request to the last data
  std::vector<base::Cycles> latencies;  ///< of every request, from the DMA's issue to its last data; ascending
  BusShares shares;                     ///< of the data pins of all pseudo-channels
  std::int64_t bursts = 0, activates = 0, refreshes = 0;

  base::Bytes moved() const { return bytes[0] + bytes[1]; }
  /// Bursts that found their row open: those for which none was opened (a row may be opened twice for one, when a
  /// refresh comes between).
  double row_hit_rate() const { return activates >= bursts ? 0 : 1 - double(activates) / double(bursts); }
};

/// Streams that begin together, each in a lane of its own of a GranuleIssuer; the trace, if there is one, shows the
/// channels (MemoryTrace).
MemoryTrafficResult run_memory_traffic(const DramParameters& parameters, std::span<const MemoryStream> streams,
                                       std::int64_t outstanding, const Trace& trace = {});

}  // namespace podsim::hw
