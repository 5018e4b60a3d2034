// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hw/memory/banks/chip_traffic.h"
#include "hw/memory/dram/memory_pattern.h"
#include "workloads/machines/machine_choice.h"

namespace podsim::app::commands {

struct MemoryOptions {
  workloads::machines::MachineChoice machine;
  hw::memory::dram::MemoryPattern pattern;
  bool through_switch = false;                      ///< all cores of a chip, else one half of the HBM alone
  std::optional<hw::memory::banks::TrafficEnd> at;  ///< only through the switch; empty: own
  bool json = false;
  std::string vcd;  ///< file; empty: none
  std::vector<std::string> trace;
};

/// Simulates the traffic, prints its result and writes the waveform.
void run_memory(const MemoryOptions& options);

}  // namespace podsim::app::commands
