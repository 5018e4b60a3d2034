// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::workloads::testing {

/// The arguments of a module's entry by the names of its parameters.
inline std::map<std::string, hlo::Literal> by_name(const hlo::Module& module,
                                                   const std::vector<hlo::Literal>& arguments) {
  std::map<std::string, hlo::Literal> tensors;
  const hlo::Computation& entry = module.entry_computation();
  for (std::size_t i = 0; i < arguments.size(); ++i) tensors[entry[entry.parameters[i]].name] = arguments[i];
  return tensors;
}

}  // namespace podsim::workloads::testing
