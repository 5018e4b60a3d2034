// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "sw/kernels/region.h"

namespace podsim::sw {

/// A pipelined loop's body made ready for overlapping.
///
/// Registers that an iteration overwrites before it reads them, and that nobody needs afterwards, are `renamed`: every
/// iteration may have its own. A register that only steps by a literal in each iteration is an induction: the step is
/// no operation any more, and the body's reads of the register are addresses with a literal offset, or additions of a
/// literal, so that the offset can make up for the iterations between the register's value and the one that is meant.
/// They read the value that an iteration begins with.
struct LoopBody {
  std::vector<Operation> operations;
  RegisterSet renamed;
  std::map<int, std::int32_t> inductions;  ///< step by Register::number()
};

LoopBody prepare_loop_body(const Region& region, RegisterSource& registers);

/// Whether an operation reads an induction, so that its literal y depends on the iteration.
bool follows_induction(const LoopBody& body, const Operation& operation);

}  // namespace podsim::sw
