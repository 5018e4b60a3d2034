// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// An element of the entry's result tuple that may take over the memory of the parameter it replaces.
struct Donation {
  std::int64_t output = 0;     ///< element of the result tuple
  std::int64_t parameter = 0;  ///< entry parameter number
  bool operator==(const Donation&) const = default;
};

struct MemoryAccount {
  struct Buffer {
    std::string name;  ///< the instruction that defines it; "name{2}" for element 2 of a tuple
    std::string op_name;
    base::Bytes bytes;
  };
  base::Bytes parameters;               ///< of the entry; they are there all the time
  base::Bytes peak;                     ///< the most that is live at once, parameters included
  InstructionId peak_position = 0;      ///< the instruction at which that is so
  std::vector<Buffer> largest_at_peak;  ///< at most ten, largest first
};

/// Device memory of one core over a scheduled program: the entry computation's instructions run in their order.
///
/// Every array takes padded_bytes from the instruction that defines it to its last use, both included, so an
/// instruction's operands and result are live together; parameters and what the result tuple holds stay to the end.
/// tuple, get-tuple-element and a reshape that keeps the padded size share their source's memory. A donated output
/// takes the parameter's memory when nothing reads the parameter after the output is defined. Temporaries inside a
/// fusion live in VMEM and cost nothing here.
MemoryAccount account_memory(const Module& module, std::span<const Donation> donations = {});

}  // namespace podsim::sw
