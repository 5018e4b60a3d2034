// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hlo/text/module.h"

/// Counts of a module's contents as written: a loop's body counts once.
namespace podsim::hlo::text::graph {

/// Collectives with the same kind, element type and groups.
struct CollectiveCount {
  std::string opcode;        ///< without an asynchronous suffix
  std::string element_type;  ///< of the first operand
  std::string groups;        ///< "4 of 2 devices", "all devices", "2 pairs"
  std::int64_t count = 0;
  std::int64_t bytes = 0;  ///< operands of all of them, on one device
};

struct Statistics {
  std::int64_t computations = 0, instructions = 0;
  bool scheduled = false;
  std::int64_t partitions = 1;  ///< stated in the header, else as many as the groups and shardings name
  std::int64_t parameters = 0, parameter_bytes = 0;  ///< of the entry
  std::map<std::string, std::int64_t> opcodes;       ///< as written
  std::map<std::string, std::int64_t> fusions;       ///< by kind
  std::vector<CollectiveCount> collectives;
};

Statistics statistics(const Module& module);

}  // namespace podsim::hlo::text::graph
