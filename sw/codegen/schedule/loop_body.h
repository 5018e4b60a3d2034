// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "sw/codegen/schedule/region.h"

namespace podsim::sw::codegen::schedule {

/// The body of a pipelined loop, prepared for overlapping iterations.
///
/// Registers that an iteration overwrites before it reads them, and that are not needed afterwards, are `renamed`:
/// every iteration may have separate ones. A register that only steps by a literal in each iteration is an induction.
/// Its step is removed from the operations. All reads of it become addresses with a literal offset, or additions of a
/// literal, so that the offset can compensate for the distance between the register's value and that of the current
/// iteration. They read the value at the beginning of an iteration.
struct LoopBody {
  std::vector<registers::Operation> operations;
  registers::RegisterSet renamed;
  std::map<int, std::int32_t> inductions;  ///< step by Register::number()
};

LoopBody prepare_loop_body(const Region& region, RegisterSource& registers);

/// Returns true if an operation reads an induction, so that its literal y depends on the iteration.
bool follows_induction(const LoopBody& body, const registers::Operation& operation);

}  // namespace podsim::sw::codegen::schedule
