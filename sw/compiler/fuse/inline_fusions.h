// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/graph.h"

namespace podsim::sw::compiler::fuse {

/// Returns a computation with the bodies of fusions and calls inlined recursively: one list of plain instructions.
ir::Computation inline_fusions(const ir::Module& module, const ir::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
