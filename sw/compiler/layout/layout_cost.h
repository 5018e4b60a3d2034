// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "sw/ir/graph.h"

namespace podsim::sw::compiler::layout {

/// Cycles of the unit that an instruction keeps busy under the layouts of its operands and result, without traffic: the
/// matrix unit for products, vector and cross-lane work for others. Units of an op overlap, so that differences between
/// layouts count rather than sums.
double unit_cycles(const ir::Computation& computation, const ir::Instruction& instruction, const hw::Machine& machine);

}  // namespace podsim::sw::compiler::layout
