// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/ir/graph.h"

namespace podsim::sw::driver {

/// What is wrong with a module: shapes that do not follow from operands, operands that come after their reader, results
/// and parameters that do not exist. One line each; empty: nothing.
std::vector<std::string> faults_of(const ir::Module& module);

}  // namespace podsim::sw::driver
