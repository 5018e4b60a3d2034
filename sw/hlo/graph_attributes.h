// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/graph.h"
#include "sw/hlo/attribute.h"

namespace podsim::sw::hlo {

/// Sets the fields of `instruction` that its attributes name, called computations apart. SyntaxError at a value that
/// the graph cannot hold.
void set_attributes(sw::Instruction& instruction, std::span<const Attribute> attributes);

}  // namespace podsim::sw::hlo
