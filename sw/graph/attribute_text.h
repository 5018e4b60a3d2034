// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// The attributes of an instruction as HLO text writes them, "name=value".
std::vector<std::string> attribute_texts(const Instruction& instruction, const Module& module);

}  // namespace podsim::sw
