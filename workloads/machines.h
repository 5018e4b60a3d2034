// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"

/// The machines that the program carries, and machines of the user's own.
namespace podsim::workloads {

struct EmbeddedMachine {
  std::string name;
  std::string toml;
};

/// The files of workloads/machines/ by their names without .toml, in alphabetical order; generated at build time. The
/// values of "tpu-v3" that are derived from bundle-level runs are in "tpu-v3.core", which `podsim calibrate` writes. A
/// machine without such a file names a base and holds what differs from it, as a user's machine file does.
const std::vector<EmbeddedMachine>& embedded_machines();

/// The machines that a user may name, in alphabetical order.
std::vector<std::string> machine_names();

/// The configuration of a built-in machine by its name ("tpu-v3"), or of a machine file by its path. A machine file
/// holds only what differs from tpu-v3, or from the machine that its key `base = "tpu-v2"` names; its machine is called
/// after the file unless it sets machine.name.
/// InputError: neither a built-in name nor a readable file (with the nearest name), an unknown base, a bad file.
base::Config machine_config(std::string_view name_or_path);

}  // namespace podsim::workloads
