// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "hlo/graph.h"
#include "workloads/workload.h"

namespace podsim::workloads::nets {

/// The text of a module without the names of layers and tensors.
inline std::string without_names(hlo::Module module) {
  module.name = "net";
  for (hlo::Computation& computation : module.computations) {
    for (hlo::Instruction& instruction : computation.instructions) {
      instruction.op_name.clear();
      instruction.name = std::to_string(&instruction - computation.instructions.data());
    }
  }
  return hlo::to_string(module);
}

inline WorkloadOptions on_cores(std::int64_t cores) {
  WorkloadOptions options;
  options.replicas = cores;
  return options;
}

/// A page of examples/nets.
inline std::string example(const std::string& name) {
  std::ifstream file(std::filesystem::path(PODSIM_SOURCE_DIR) / "examples/nets" / name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace podsim::workloads::nets
