// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <ostream>
#include <string>
#include <vector>

#include "tests/hw/test_machine.h"

namespace podsim::hw::memory {

inline parts::hbm::DramParameters dram_with(base::Config config, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) config.set(setting);
  return parts::hbm::read_dram_parameters(config);
}

/// The memory of TPU v3 with other values for some keys: {"hbm.refresh=none"}.
inline parts::hbm::DramParameters dram_with(const std::vector<std::string>& settings) {
  return dram_with(machine_file("tpu-v3"), settings);
}

/// Name of a test that runs with these settings: their values, "closed_per_bank".
inline std::string name_of_settings(const std::vector<std::string>& settings) {
  std::string name;
  for (const std::string& setting : settings) name += (name.empty() ? "" : "_") + setting.substr(setting.find('=') + 1);
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

/// Two standards, each a machine file.
struct DramStandard {
  const char* name;
  base::Config (*file)();

  parts::hbm::DramParameters with(const std::vector<std::string>& settings = {}) const {
    return dram_with(file(), settings);
  }
};
inline void PrintTo(const DramStandard& standard, std::ostream* out) { *out << standard.name; }
inline const DramStandard hbm2{"Hbm2", [] { return machine_file("tpu-v3"); }};
inline const DramStandard hbm3{"Hbm3", hbm3_file};

}  // namespace podsim::hw::memory
