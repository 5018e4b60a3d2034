// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "sw/ir/graph.h"

namespace podsim::sw::ir::transform {

/// The forward part of a training step, which an evaluation runs: the outputs that replace no parameter, such as the
/// loss, and what they need. Gradients, updates and their collectives are gone; parameters stay. std::nullopt if every
/// output replaces a parameter, or none does, so that nothing tells the loss from the weights.
std::optional<Module> forward_part(Module step, std::span<const Donation> donations);

}  // namespace podsim::sw::ir::transform
