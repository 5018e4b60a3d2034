// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "hlo/graph.h"
#include "hlo/text/module.h"

namespace podsim::hlo::text {

/// Reports up to 50 errors and warnings about the shapes of `graph`, which to_graph made from `module`, with their
/// locations in the text:
///
///   error     operands and attributes of an instruction break a rule of HLO, or give a shape of another structure; or
///             its sharding has tiles on another number of devices than groups name, where the header says none
///   warning   they give a shape of the same structure (ShapeDifference) but of other sizes or element types
///
/// Without diagnostics, the graph passes build::verify. With warnings only, it can be measured, since every shape
/// has the dimensions that attributes name, but not evaluated.
std::vector<base::Diagnostic> check_shapes(const Module& module, const hlo::Module& graph);

}  // namespace podsim::hlo::text
