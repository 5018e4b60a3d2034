// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/options/machine_options.h"
#include "hw/bundle/bundle_run.h"
#include "sw/codegen/families/kernel.h"

namespace podsim::app::options {

struct KernelOptions {
  workloads::machines::MachineChoice machine;
  std::string file;  ///< a .pasm program, or the program of a step if is_step; or else
  const sw::codegen::families::KernelFamily* family = nullptr;  ///< a kernel to generate
  sw::codegen::families::KernelArguments arguments;             ///< values of all parameters of the family
  bool is_step = false;
  std::string op;  ///< of the step, by the name of its instruction; empty: list them
  bool verify = false;
  std::int64_t seed = 1;
  bool timing_only = false;
  hw::bundle::matrix::MatrixUnitView matrix_view = hw::bundle::matrix::MatrixUnitView::event;
  base::Cycles max_cycles = hw::bundle::BundleRunOptions().limit;
  bool json = false;
  std::string listing;  ///< file; "-": stdout; empty: none
  std::string emit;     ///< file; empty: none
  std::string vcd;      ///< file; empty: none
  std::vector<std::string> trace;
};

}  // namespace podsim::app::options
