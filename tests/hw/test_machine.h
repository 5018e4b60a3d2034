// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/config.h"
#include "hw/machine.h"

namespace podsim::hw {

inline std::string file_text(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

inline std::string machine_file_text(const std::string& name) {
  return file_text(PODSIM_SOURCE_DIR "/workloads/machines/" + name + ".toml");
}

/// The configuration of a machine file of this repository that names no base, with what is derived from finer levels.
inline base::Config machine_file(const std::string& name) {
  base::Config config = base::Config::builtin(name + ".toml", machine_file_text(name));
  for (const char* part : {".core", ".memory"})
    config.add_builtin(name + part + ".toml", machine_file_text(name + part));
  return config;
}

/// The machine file that differs from tpu-v3 only in its memory.
inline base::Config hbm3_file() {
  std::string text = machine_file_text("tpu-v3-hbm3");
  const std::string base_line = "base = \"tpu-v3\"\n";
  base::Config config = machine_file("tpu-v3");
  config.add_text("tpu-v3-hbm3.toml", text.erase(text.find(base_line), base_line.size()));
  config.add_text("tpu-v3-hbm3.memory.toml", machine_file_text("tpu-v3-hbm3.memory"));
  return config;
}

inline Machine tpu_v3() { return read_machine(machine_file("tpu-v3")); }
/// The same, read once.
inline const Machine& the_tpu_v3() {
  static const Machine machine = tpu_v3();
  return machine;
}
inline Machine tpu_v3_hbm3() { return read_machine(hbm3_file()); }
inline Machine tpu_v2() { return read_machine(machine_file("tpu-v2")); }

/// TPU v3 with other values for some keys: {"hbm.refresh=none"}.
inline Machine tpu_v3_with(const std::vector<std::string>& settings) {
  base::Config config = machine_file("tpu-v3");
  for (const std::string& setting : settings) config.set(setting);
  return read_machine(config);
}

/// A table [memory.NAME] of a machine file. TPU v4 has as much CMEM.
inline std::string level_text(const std::string& name, const std::string& rate, const std::string& latency,
                              bool shared = true) {
  return "[memory." + name + "]\ncapacity = \"128 MiB\"\nshared = " + (shared ? "true" : "false") + "\nread_rate = \"" +
         rate + "\"\nwrite_rate = \"" + rate + "\"\nlatency = \"" + latency + "\"\n";
}

/// TPU v3 with 128 MiB of memory on a chip, which its two cores share, at four times the rate of the HBM.
inline base::Config cmem_file() {
  base::Config config = machine_file("tpu-v3");
  config.add_text("cmem.toml", level_text("cmem", "3.6 TB/s", "100 ns"));
  return config;
}

/// Six cycles to start a vector loop, 100 for the cross-lane unit's, and no other code of the core at tile level.
inline void set_plain_code(base::Config& config) {
  for (const char* value : {"vector_loop_cycles=6", "cross_lane_phase_cycles=100", "matrix_phase_cycles=0",
                            "tile_cycles=0", "transfer_cycles=0"}) {
    config.set(std::string("tile_level.") + value);
  }
}

/// tpu-v3 with plain code, whose times can be counted by hand.
inline Machine plain_tpu_v3() {
  base::Config config = machine_file("tpu-v3");
  set_plain_code(config);
  return read_machine(config);
}

/// A machine with round numbers, so that tests can state the expected cycle: 1 GHz, 100 B per cycle, read latency 20,
/// write latency 10, turnaround 0.4, plain code. `levels`: tables of further memories.
inline Machine round_machine(const std::string& levels = "") {
  base::Config config = machine_file("tpu-v3");
  config.add_text("levels.toml", levels);
  config.set("core.clock=1 GHz");
  for (const char* value : {"hbm.stream_rate=100 GB/s", "hbm.write_cost=1", "hbm.turnaround=0.4"}) config.set(value);
  config.set("dma.read_latency=20 ns");
  config.set("dma.write_latency=10 ns");
  set_plain_code(config);
  return read_machine(config);
}

}  // namespace podsim::hw
