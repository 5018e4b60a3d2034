// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/compiler/memory_account.h"

namespace podsim::sw::report::run {

/// CSV with a line for each instruction of the fused program, in the order of its schedule: position, instruction,
/// op_name, the bytes that are live in a core's HBM while it runs, and the places of the arrays that it makes in the
/// heap, "offset+bytes@first..last position" each, from account_memory.
std::string memory_schedule_csv(const compiler::MemoryAccount& memory);

}  // namespace podsim::sw::report::run
