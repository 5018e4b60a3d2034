// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/graph.h"
#include "sw/compiler/op_cache.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler {

/// What a list scheduler (list_scheduler.h) knows of an instruction. A step takes time or its turn; other instructions
/// only name values.
struct ScheduleStep {
  bool is_step = false;
  bool is_transfer = false;     ///< a collective that is started and waited for
  bool is_early = false;        ///< an all-gather of what parameters consist of, or of what is computed from them
  bool keeps_its_turn = false;  ///< among the steps that do
  double time = 0;              ///< in s, on the core, or of a transfer in the network
  /// Steps that have to be over before it, or, those that read what it overwrites, to have read.
  std::vector<hlo::InstructionId> after;
  hlo::InstructionId reader = 0;  ///< of a transfer: the first step that comes after it
};

/// True for a collective that overlap_collectives() (overlap.h) splits.
bool may_overlap(const hlo::Instruction& instruction);

/// True for instructions with effects, which keep their order among themselves.
bool keeps_its_turn(const hlo::Instruction& instruction);

/// The steps of every executed computation that has a collective to split, by its instructions; nothing for others.
/// Ops are taken to last as long as at tile level, collectives as overlap.h says, and control flow as long as all that
/// it executes. Costs of ops come from `cache` if it has them.
std::vector<std::vector<ScheduleStep>> schedule_steps(const hlo::Module& module, const TargetMachine& machine,
                                                      OpCache* cache = nullptr);

}  // namespace podsim::sw::compiler
