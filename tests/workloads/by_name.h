// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sw/ir/graph.h"
#include "sw/ir/literal.h"

namespace podsim::workloads::testing {

/// The arguments of a module's entry by the names of its parameters.
inline std::map<std::string, sw::ir::Literal> by_name(const sw::ir::Module& module,
                                                      const std::vector<sw::ir::Literal>& arguments) {
  std::map<std::string, sw::ir::Literal> tensors;
  const sw::ir::Computation& entry = module.entry_computation();
  for (std::size_t i = 0; i < arguments.size(); ++i) tensors[entry[entry.parameters[i]].name] = arguments[i];
  return tensors;
}

}  // namespace podsim::workloads::testing
