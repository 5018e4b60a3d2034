// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "sw/graph/graph.h"
#include "sw/hlo/module.h"

namespace podsim::sw::hlo {

/// An error for every instruction of `graph`, made of `module` by to_graph, whose shape does not follow from its
/// operands and attributes, at its place in the text; up to 50. A graph without any holds what verify() asks for.
std::vector<base::Diagnostic> check_shapes(const Module& module, const sw::Module& graph);

}  // namespace podsim::sw::hlo
