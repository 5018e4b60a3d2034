// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler {

/// Refuses a program with an array in a memory that the machine does not have: hlo::rules::InstructionError at the
/// instruction that makes it. XLA has numbers beyond those of hw/memory_levels.h for sync flags and scalar memory,
/// which differ from chip to chip: an array that fits into `scalar.smem` may have any of them, and takes no time to
/// move.
void require_memories(const hlo::Module& module, const TargetMachine& machine);

}  // namespace podsim::sw::compiler
