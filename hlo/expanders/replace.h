// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// Writes what instruction `id` of a computation computes as a module whose parameters are its operands, in their order
/// and shapes. std::nullopt for an instruction that stays.
using Expansion = std::function<std::optional<Module>(const Computation& computation, InstructionId id)>;

/// Puts the entries of expansions in place of instructions, in all computations. The last instruction of an expansion
/// has the name, op_name, source and sharding of the one that it replaces; the others have its op_name and source.
/// Computations that expansions call are added once each; they are not expanded themselves. Elements of tuples that an
/// expansion returns are read directly.
void replace_instructions(Module& module, const Expansion& expansion);

}  // namespace podsim::hlo::expanders
