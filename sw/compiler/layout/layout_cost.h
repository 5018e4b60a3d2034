// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hw/machine.h"
#include "sw/ir/graph.h"

namespace podsim::sw::compiler::layout {

/// Cycles of the unit that an instruction keeps busy under the layouts of its operands and result, without traffic: the
/// matrix unit for products, vector and cross-lane work for others. Units of an op overlap, so that differences between
/// layouts count rather than sums.
///
/// A reshape that is no renaming under its layouts (is_renaming) costs more than any layout can gain.
double unit_cycles(const ir::Computation& computation, ir::InstructionId id, const hw::Machine& machine);

/// True for a reshape whose elements lie in the same order before and after it: dimensions that are split or merged are
/// next to each other in memory, in the order of the text. True also where that is so only of the tiles (tile_order.h).
bool is_renaming(const ir::Instruction& reshape, const ir::Shape& operand);

/// The order of dimensions of `to`, minor to major, for which a reshape between it and `from` in its layout is a
/// renaming, whichever of the two is the operand; nothing if there is none.
std::optional<std::vector<int>> order_for_renaming(const ir::Shape& from, const ir::Shape& to);

}  // namespace podsim::sw::compiler::layout
