// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/target_machine.h"
#include "tests/hw/test_machine.h"

/// The machines of tests/hw/test_machine.h with the compiler's assumptions about its code.
namespace podsim::sw {

inline TargetMachine tpu_v3() { return read_target(hw::machine_file("tpu-v3")); }
/// The same, read once.
inline const TargetMachine& the_tpu_v3() {
  static const TargetMachine machine = tpu_v3();
  return machine;
}
inline TargetMachine tpu_v3_hbm3() { return read_target(hw::hbm3_file()); }
inline TargetMachine tpu_v2() { return read_target(hw::machine_file("tpu-v2")); }
inline TargetMachine cmem_machine() { return read_target(hw::cmem_file()); }
inline TargetMachine tpu_v3_with(const std::vector<std::string>& settings) {
  base::Config config = hw::machine_file("tpu-v3");
  for (const std::string& setting : settings) config.set(setting);
  return read_target(config);
}

}  // namespace podsim::sw
