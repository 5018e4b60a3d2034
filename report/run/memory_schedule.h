// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/compiler/memory_account.h"

namespace podsim::report::run {

/// CSV with a line for each instruction of the fused program, in the order of its schedule: position, instruction,
/// op_name, the bytes that are live in a core's HBM while it runs, and the locations in the heap of the arrays that it
/// makes, "offset+bytes@first..last position" each, from account_memory.
std::string memory_schedule_csv(const sw::compiler::MemoryAccount& memory);

}  // namespace podsim::report::run
