// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "tests/hw/test_machine.h"

namespace podsim::hw {

/// The memory of TPU v3 with other values for some keys: {"hbm.refresh=none"}.
inline DramParameters dram_with(std::initializer_list<const char*> settings) {
  base::Config config = machine_file("tpu-v3");
  for (const char* setting : settings) config.set(setting);
  return read_dram_parameters(config);
}

}  // namespace podsim::hw
