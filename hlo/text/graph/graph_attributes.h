// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/graph.h"
#include "hlo/text/attribute.h"

namespace podsim::hlo::text::graph {

/// Sets the fields of `instruction` that its attributes name, except called computations. Throws SyntaxError at a value
/// that the graph cannot represent.
void set_attributes(hlo::Instruction& instruction, std::span<const Attribute> attributes);

}  // namespace podsim::hlo::text::graph
