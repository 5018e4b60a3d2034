// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::transform {

/// Maxima that a softmax, a log-softmax or a log of a sum of exponentials subtracts and that do not affect the loss, so
/// that their gradients may be left out (the argument `held` of gradients()). Programs of frameworks stop these
/// gradients, and their texts do not say so.
///
/// A maximum m along some dimensions is found if every path from it to the loss can be followed: what depends on it is
/// v + k m or v exp(k m) for a known whole k with v independent of m, position by position, until k is 0. Followed are
/// sums and differences, products and quotients, exponentials, logarithms, sums along other dimensions than those of m,
/// broadcasts, reshapes by dimensions of size 1, transposes, conversions, and the guards max(m, -inf) and
/// select(is-finite(m), m, 0).
std::vector<InstructionId> softmax_maxima(const build::GraphBuilder& builder, InstructionId loss);

}  // namespace podsim::hlo::transform
