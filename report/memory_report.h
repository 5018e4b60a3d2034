// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hw/machine.h"
#include "hw/memory/dram/memory_pattern.h"
#include "hw/memory/dram/memory_traffic.h"

/// The output of `podsim memory`: bandwidth, latencies, and the shares of the data pins' time.
namespace podsim::report {

struct MemoryReport {
  std::string machine;
  hw::parts::hbm::DramParameters parameters;
  hw::memory::dram::MemoryPattern pattern;
  hw::memory::dram::MemoryTrafficResult result;
  double wall_s = 0;

  double time_s() const { return double(result.clocks.value()) / parameters.clock.si(); }
  double bandwidth() const { return double(result.moved().value()) / time_s(); }  ///< bytes per second
  double mean_latency_s() const;
  /// The latency that this fraction of the requests does not exceed; 1 gives the longest.
  double latency_s(double fraction) const;
  double share(hw::memory::dram::BusShare share) const;  ///< share of the data pins' time
};

/// "tpu-v3: sequential 16 MiB, reads, 4 streams at once".
std::string memory_title(const std::string& machine, const hw::memory::dram::MemoryPattern& pattern);
/// Uses of the data pins' time, a line for each.
std::string shares_table(const hw::memory::dram::BusShares& shares);
std::string memory_text(const MemoryReport& report);
std::string memory_json(const MemoryReport& report);

}  // namespace podsim::report
