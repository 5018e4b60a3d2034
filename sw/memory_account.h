// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

struct MemoryAccount {
  struct Buffer {
    std::string name;  ///< the instruction that defines it; "name{2}" for element 2 of a tuple
    std::string op_name;
    base::Bytes bytes;
  };
  /// What is live while an instruction of the schedule runs.
  struct Moment {
    std::string name;  ///< the instruction
    std::string op_name;
    base::Bytes live;
  };
  base::Bytes parameters;               ///< of the entry; they are there all the time
  base::Bytes peak;                     ///< the most that is live at once, parameters included
  InstructionId peak_position = 0;      ///< the instruction at which that is so
  std::vector<Buffer> largest_at_peak;  ///< at most ten, largest first
  std::vector<Moment> schedule;         ///< by position: the entry computation's instructions in their order
};

/// Device memory of one core over a scheduled program: the entry computation's instructions run in their order.
///
/// Every array takes padded_bytes from the instruction that defines it to its last use, both included, so an
/// instruction's operands and result are live together; parameters and what the result tuple holds stay to the end.
/// tuple, get-tuple-element, bitcast and a reshape that keeps the padded size share their source's memory, an update in
/// place (dynamic-update-slice or scatter, in a fusion too) its operand's, a while loop its initial state's. What the
/// body of a loop, a branch or a call needs beyond its parameters is there while it runs. A donated output takes the
/// parameter's memory when nothing reads the parameter after the output is defined. Temporaries inside a fusion, and
/// what is placed in VMEM, cost nothing here.
MemoryAccount account_memory(const Module& module, std::span<const Donation> donations = {});

}  // namespace podsim::sw
