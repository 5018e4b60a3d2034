// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "base/config.h"
#include "hw/machine.h"

namespace podsim::hw {

/// The configuration of a machine file of this repository.
inline base::Config machine_file(const std::string& name) {
  std::ifstream in(std::string(PODSIM_SOURCE_DIR) + "/workloads/machines/" + name + ".toml");
  std::ostringstream text;
  text << in.rdbuf();
  return base::Config::builtin(name + ".toml", text.str());
}

inline Machine tpu_v3() { return read_machine(machine_file("tpu-v3")); }
inline Machine tpu_v2() { return read_machine(machine_file("tpu-v2")); }

/// A machine with round numbers, so that tests can say the cycle they expect: 1 GHz, 100 B per cycle, read latency 20,
/// write latency 10, turnaround 0.4.
inline Machine round_machine() {
  base::Config config = machine_file("tpu-v3");
  config.set("core.clock=1 GHz");
  config.set("hbm.stream_rate=100 GB/s");
  config.set("dma.read_latency=20 ns");
  config.set("dma.write_latency=10 ns");
  return read_machine(config);
}

}  // namespace podsim::hw
