// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "sw/compiler/program.h"
#include "sw/runtime/run_result.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime {

/// Simulates the ops that a step spends most time in again, with their tiles through the banks of the HBM instead of
/// streams (hw/memory/banks/bank_pipeline.h): equal items once, the costliest first. The step time over banks adds the
/// differences, since ops of a core never overlap.
BankCheck check_on_banks(const TargetMachine& machine, const compiler::Program& program, const RunResult& result,
                         std::size_t max_ops);

}  // namespace podsim::sw::runtime
