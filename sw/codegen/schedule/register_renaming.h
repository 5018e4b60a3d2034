// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/codegen/registers/operation.h"
#include "sw/codegen/registers/register_set.h"
#include "sw/codegen/schedule/region.h"

namespace podsim::sw::codegen::schedule {

/// Gives every value of straight-line code a separate register, so that only true dependences are left. The last value
/// of a register in `kept` keeps that register, and so does a value that is in a register on entry.
void rename_values(std::vector<registers::Operation>& operations, const registers::RegisterSet& kept,
                   RegisterSource& registers);

/// Removes scalar operations with unused results. Registers in `kept` are read afterwards.
void drop_needless(std::vector<registers::Operation>& operations, const registers::RegisterSet& kept);

/// Calls `change` with every register of an operation, sources and destination, as a reference.
template <class Change>
void for_each_register(registers::Operation& operation, const Change& change) {
  const hw::isa::OpcodeInfo& row = operation.info();
  const auto operand = [&](hw::isa::OperandKind kind, registers::Operand& o) {
    if (kind != hw::isa::OperandKind::none && !o.literal && !o.reg.constant()) change(o.reg);
  };
  operand(row.x, operation.x);
  operand(row.y, operation.y);
  operand(row.z, operation.z);
  if (row.masked && !operation.mask.constant()) change(operation.mask);
  if (!operation.predicate.constant()) change(operation.predicate);
  if (row.destination != hw::isa::OperandKind::none) change(operation.destination);
}

}  // namespace podsim::sw::codegen::schedule
