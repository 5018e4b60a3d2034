// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hw/machine.h"
#include "hw/memory/banks/chip_traffic.h"

/// The output of `podsim memory --through switch`: bandwidth of every core, latencies, ports of the switch and, for
/// comparison, the results of simpler models for the same traffic.
namespace podsim::report {

struct ChipMemoryReport {
  hw::Machine machine;
  hw::memory::banks::ChipTraffic traffic;
  hw::memory::banks::ChipTrafficResult result;
  std::size_t halves = 0;                  ///< of the HBM that are used
  std::optional<base::Time> over_banks;    ///< the halves alone bank by bank, without DMA engines and switch
  std::optional<base::Time> over_streams;  ///< the halves as streams at sustained rates
  double wall_s = 0;

  double bandwidth() const;  ///< bytes per second
  double mean_latency_s() const;
  /// The latency that this fraction of the granules does not exceed; 1 gives the longest.
  double latency_s(double fraction) const;
};

std::string chip_memory_text(const ChipMemoryReport& report);
std::string chip_memory_json(const ChipMemoryReport& report);

}  // namespace podsim::report
