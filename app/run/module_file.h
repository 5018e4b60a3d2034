// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/machine.h"
#include "sw/ir/graph.h"

namespace podsim::app::run {

/// True if a workload is named like a file, with a '.' or a '/'.
bool is_module_file(const std::string& workload);

/// A module to run.
struct ModuleFile {
  sw::ir::Module graph;
  bool is_global = false;  ///< the program of all devices together: StableHLO, which no partitioner has seen
};

/// The module to run from a file of HLO or StableHLO: the only one, or the last of several, with a warning. Throws
/// InputError, with locations in the file, if the text is neither or breaks its rules. Sizes that do not follow from
/// operands and attributes are warnings. `argument` names the file's argument in messages.
ModuleFile read_module(const std::string& file, std::vector<std::string>& warnings,
                       const std::string& argument = "WORKLOAD");

}  // namespace podsim::app::run
