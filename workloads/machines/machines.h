// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"

/// The built-in machines, and machine files of users.
namespace podsim::workloads::machines {

struct EmbeddedMachine {
  std::string name;
  std::string toml;
};

/// The files of workloads/machines/ by their names without .toml, in alphabetical order; generated at build time.
/// Values of "tpu-v3" that are derived from finer levels of detail are in "tpu-v3.core" and "tpu-v3.memory", which
/// `podsim calibrate` writes. A machine that names a base holds only the values that differ from it, as a user's
/// machine file does, and may have such files too.
const std::vector<EmbeddedMachine>& embedded_machines();

/// The names of the built-in machines, in alphabetical order.
std::vector<std::string> machine_names();

/// The configuration of a built-in machine by its name ("tpu-v3"), or of a machine file by its path. A machine file
/// holds only the values that differ from tpu-v3, or from the machine that its key `base = "tpu-v2"` names. The machine
/// has the name of the file unless the file sets machine.name.
/// Throws base::InputError if the argument is neither a built-in name (suggesting the nearest) nor a readable file, if
/// the base is unknown, or if the file has errors.
base::Config machine_config(std::string_view name_or_path);

}  // namespace podsim::workloads::machines
