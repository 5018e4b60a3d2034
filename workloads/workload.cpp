// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace podsim::workloads {

std::string data_parallel_sharding(const Workload& workload, std::span<const std::string> axes) {
  std::string text = "[sharding]\n";
  for (const std::string& name : workload.batched) {
    text += fmt::format("\"{}\" = [\"{}\"]\n", name, fmt::join(axes, "+"));
  }
  return text;
}

}  // namespace podsim::workloads
