// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler::layout {

/// Cycles of the unit that an instruction keeps busy under the layouts of its operands and result, without traffic: the
/// matrix unit for products, vector and cross-lane work for others. Units of an op overlap, so that differences between
/// layouts count rather than sums.
double unit_cycles(const hlo::Computation& computation, const hlo::Instruction& instruction,
                   const TargetMachine& machine);

}  // namespace podsim::sw::compiler::layout
