// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::build {

/// Throws std::logic_error naming the instruction if an operand does not precede its user, a shape does not follow from
/// the operands, or a called computation is missing. Tests call it after transformations.
void verify(const Module& module);

}  // namespace podsim::hlo::build
