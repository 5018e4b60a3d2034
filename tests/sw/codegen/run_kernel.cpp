// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/codegen/run_kernel.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace podsim::sw::codegen {

std::int64_t measured_cycles(const std::string& kernel, const std::string& shape) {
  std::ifstream in(std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/kernels.csv");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string name, dimensions, dtype, cycles;
    std::getline(fields, name, ',');
    std::getline(fields, dimensions, ',');
    std::getline(fields, dtype, ',');
    std::getline(fields, cycles, ',');
    if (name == kernel && dimensions == shape) return std::stoll(cycles);
  }
  return 0;
}

}  // namespace podsim::sw::codegen
