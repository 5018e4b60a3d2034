// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Returns a computation with the bodies of fusions and calls inlined recursively: one list of plain instructions.
hlo::Computation inline_fusions(const hlo::Module& module, const hlo::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
