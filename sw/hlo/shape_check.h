// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "sw/graph/graph.h"
#include "sw/hlo/module.h"

namespace podsim::sw::hlo {

/// What is wrong with the shapes of `graph`, made of `module` by to_graph, at the places in the text; up to 50:
///
///   error     operands and attributes of an instruction break a rule of HLO, or give a shape of another structure
///   warning   they give a shape of the same structure (ShapeDifference) but of other sizes or element types
///
/// A graph without any holds what verify() asks for. One with warnings alone can be measured, as every shape has the
/// dimensions that attributes name; it cannot be evaluated.
std::vector<base::Diagnostic> check_shapes(const Module& module, const sw::Module& graph);

}  // namespace podsim::sw::hlo
