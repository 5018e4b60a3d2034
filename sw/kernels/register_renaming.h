// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/kernels/operation.h"
#include "sw/kernels/region.h"
#include "sw/kernels/register_set.h"

namespace podsim::sw {

/// Gives every value of straight-line code a register of its own where a register is overwritten, so that only true
/// dependences are left. The last value keeps the register if it is in `kept`; a value that the code finds in a
/// register when it begins keeps it too.
void rename_values(std::vector<Operation>& operations, const RegisterSet& kept, RegisterSource& registers);

/// Drops scalar operations whose results nobody reads; `kept` registers are read afterwards.
void drop_needless(std::vector<Operation>& operations, const RegisterSet& kept);

/// Calls `change` with every register of an operation, sources and destination, as a reference.
template <class Change>
void for_each_register(Operation& operation, const Change& change) {
  const hw::isa::OpcodeInfo& row = operation.info();
  const auto operand = [&](hw::isa::OperandKind kind, Operand& o) {
    if (kind != hw::isa::OperandKind::none && !o.literal && !o.reg.constant()) change(o.reg);
  };
  operand(row.x, operation.x);
  operand(row.y, operation.y);
  operand(row.z, operation.z);
  if (row.masked && !operation.mask.constant()) change(operation.mask);
  if (!operation.predicate.constant()) change(operation.predicate);
  if (row.destination != hw::isa::OperandKind::none) change(operation.destination);
}

}  // namespace podsim::sw
