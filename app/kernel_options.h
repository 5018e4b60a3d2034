// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/machine_options.h"
#include "hw/bundle/matrix_unit.h"
#include "sw/kernels/kernel.h"

namespace podsim::app {

struct KernelOptions {
  MachineOptions machine;
  std::string file;                          ///< a .pasm program, or
  const sw::KernelFamily* family = nullptr;  ///< a kernel to generate
  sw::KernelArguments arguments;             ///< of the family, all of them
  bool verify = false;
  std::int64_t seed = 1;
  bool timing_only = false;
  hw::MatrixUnitView matrix_view = hw::MatrixUnitView::event;
  bool json = false;
  std::string listing;  ///< file; "-": stdout; empty: none
  std::string emit;     ///< file; empty: none
  std::string vcd;      ///< file; empty: none
  std::vector<std::string> trace;
};

}  // namespace podsim::app
