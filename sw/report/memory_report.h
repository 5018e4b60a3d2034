// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/machine.h"
#include "hw/memory/memory_pattern.h"
#include "hw/memory/memory_traffic.h"

/// What `podsim memory` prints: bandwidth, latencies, and where the data pins' time went.
namespace podsim::sw {

struct MemoryReport {
  std::string machine;
  hw::DramParameters parameters;
  hw::MemoryPattern pattern;
  hw::MemoryTrafficResult result;
  double wall_s = 0;

  double time_s() const { return double(result.clocks.value()) / parameters.clock.si(); }
  double bandwidth() const { return double(result.moved().value()) / time_s(); }  ///< bytes per second
  double mean_latency_s() const;
  /// The latency that a fraction of the requests does not exceed; 1 gives the longest.
  double latency_s(double fraction) const;
  double share(hw::BusShare share) const;  ///< of the data pins' time
};

std::string memory_text(const MemoryReport& report);
std::string memory_json(const MemoryReport& report);

}  // namespace podsim::sw
