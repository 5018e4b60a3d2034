// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/graph.h"

namespace podsim::hlo::rules {

/// The shape of the result for operands whose dynamic dimensions have the sizes that are in use, not their bounds: what
/// follows by HLO's rules, so that the rest takes no part in a reduction, a product or an order. Element types are as
/// written. Throws std::logic_error if the operands do not fit each other, or the result's sizes do not follow from
/// theirs.
Shape actual_shape(const Instruction& instruction, std::span<const Shape* const> operands,
                   std::span<const Computation> computations);

}  // namespace podsim::hlo::rules
