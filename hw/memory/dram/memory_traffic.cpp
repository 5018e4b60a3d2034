// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/memory_traffic.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "hw/memory/dram/granule_issuer.h"
#include "hw/memory/dram/memory_trace.h"

namespace podsim::hw::memory::dram {

MemoryTrafficResult run_memory_traffic(const DramParameters& parameters, std::span<const MemoryStream> streams,
                                       std::int64_t outstanding, const Trace& trace) {
  GranuleIssuer issuer(parameters, int(streams.size()), outstanding);
  std::optional<MemoryTrace> channels;
  if (trace.sink != nullptr) {
    channels.emplace(issuer.memory(), trace);
    issuer.on_advance([&](base::Cycles clock) { channels->show_until(clock); });
  }
  MemoryTrafficResult result;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    issuer.submit(int(i), streams[i], base::Cycles(0), i);
    result.bytes[std::size_t(streams[i].direction)] += streams[i].bytes();
  }
  std::vector<GranuleIssuer::Completion> completed;
  while (!issuer.idle()) issuer.advance(base::Cycles(std::numeric_limits<std::int64_t>::max()), completed);
  result.clocks = issuer.now();
  if (channels) channels->show_until(result.clocks + base::Cycles(1));
  result.latencies = issuer.latencies();
  std::ranges::sort(result.latencies);
  MemorySystem& memory = issuer.memory();
  result.shares = memory.shares();
  result.bursts = memory.bursts();
  result.activates = memory.activates();
  result.refreshes = memory.refreshes();
  return result;
}

}  // namespace podsim::hw::memory::dram
