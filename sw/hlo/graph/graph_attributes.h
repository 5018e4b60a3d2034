// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/hlo/attribute.h"
#include "sw/ir/graph.h"

namespace podsim::sw::hlo::graph {

/// Sets the fields of `instruction` that its attributes name, except called computations. Throws SyntaxError at a value
/// that the graph cannot represent.
void set_attributes(ir::Instruction& instruction, std::span<const Attribute> attributes);

}  // namespace podsim::sw::hlo::graph
