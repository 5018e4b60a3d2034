// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/machine_options.h"
#include "app/partition_options.h"
#include "sw/collectives/algorithm.h"
#include "workloads/workload.h"

namespace podsim::app {

struct RunOptions {
  std::string workload;
  MachineOptions machine;
  std::string slice;                 ///< empty: 4x4, or as many cores as a module or mesh has devices
  workloads::WorkloadOptions build;  ///< batch, optimiser and the model's keys
  PartitionFlags partition;
  bool show_mesh = false;
  std::vector<std::string> compare;   ///< two sharding files; empty: nothing is compared
  std::optional<std::string> detail;  ///< not given: tile when a trace is written, else replay
  int steps = 2;
  bool fold = true;
  std::optional<sw::Algorithm> algorithm;  ///< of collectives; not given: the one modelled fastest
  bool banks = false;                      ///< the hottest ops again, over banks
  std::optional<std::string> convention;   ///< of a topology: whose cycles; not given: the model's own
  std::string op_cache;                    ///< file of costs of ops; empty: none
  bool json = false;
  std::string output;  ///< folder; empty: none
  std::string vcd;     ///< file; empty: none
  std::vector<std::string> trace;
};

}  // namespace podsim::app
