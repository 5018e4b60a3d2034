// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Copies the operand of a reshape to the order of dimensions in which the reshape keeps the order of elements in
/// memory (hlo/renaming.h), as all 719 reshapes of the measured profiles do. Where the order of the result allows none,
/// the reshape has the order that its operand implies, or both have that of the text, and its result is copied, as
/// that of f32[16,38,38,324] to [16,38,38,4,81] is in SSD's profile. Reshapes that go into reductions alone are fused
/// with these, and stay. For modules whose layouts are assigned.
void order_reshapes(hlo::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
