// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"

namespace podsim::sw {

/// A computation with the bodies of its fusions and calls written out, and of theirs: one list of plain instructions.
Computation inline_fusions(const Module& module, const Computation& computation);

}  // namespace podsim::sw
