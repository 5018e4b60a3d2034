// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/ir/graph.h"

namespace podsim::sw::ir {

/// Returns the attributes of an instruction in the form of HLO text, "name=value".
std::vector<std::string> attribute_texts(const Instruction& instruction, const Module& module);

}  // namespace podsim::sw::ir
