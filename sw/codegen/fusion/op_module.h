// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/graph.h"

/// Code for one op of a compiled module, whatever it computes: element-wise bodies with broadcasts and reductions.
namespace podsim::sw::codegen::fusion {

/// The computation of an op of a compiled module as a module of its own. The op's operands are its parameters, except
/// constants, which it contains. Fusions are inlined, and the entry is the last computation.
hlo::Module op_module(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id);

/// The arrays that a body returns: the elements of its root, or the root.
std::vector<hlo::InstructionId> results_of(const hlo::Computation& body);

}  // namespace podsim::sw::codegen::fusion
