// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/memory_account.h"

namespace podsim::sw {

/// A line per instruction of the fused program in the order of its schedule: position, instruction, op_name, and the
/// bytes that are live in a core's HBM while it runs, as account_memory has them.
std::string memory_schedule_csv(const MemoryAccount& memory);

}  // namespace podsim::sw
