// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/machine.h"
#include "sw/graph/graph.h"

namespace podsim::app {

/// Whether a workload is named as a file is, not as a built-in one: it has a '.' or a '/'.
bool is_module_file(const std::string& workload);

/// The module of an HLO file to run: the only one, or the last of several with a warning. InputError with the file's
/// places for what is no HLO or breaks its rules; sizes that do not follow from operands and attributes are warnings.
sw::Module read_module(const std::string& file, std::vector<std::string>& warnings,
                       const std::string& argument = "WORKLOAD");

/// The smallest, squarest slice with a core for each device: "8x4" for 64 of them with two cores a chip.
std::string slice_for(std::int64_t devices, const hw::Machine& machine);

}  // namespace podsim::app
