// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sw/driver/step.h"

namespace podsim::validation::kernels {

/// A distinct op of a step: equal work counts once.
struct StepOp {
  std::string name;  ///< of the first instruction with this work
  std::string category, origin;
  hlo::ComputationId computation = 0;
  hlo::InstructionId id = 0;
  std::int64_t executions = 0;  ///< of all instructions with this work
  int compiled = 0;             ///< into Program::ops
};

/// The distinct ops of the core in the order of the program, without those that collectives overlap in part.
std::vector<StepOp> ops_of(const sw::driver::Step& step);

/// Numbers in `ops` (ops_of()) of all instructions of the step that are ops, by name.
std::map<std::string, std::size_t> op_numbers(const sw::driver::Step& step, const std::vector<StepOp>& ops);

/// Why sw/codegen/fusion has no code for an op, as far as its graph tells, in a word; empty if it has.
std::string cause_of_no_code(const hlo::Module& module, const StepOp& op);

}  // namespace podsim::validation::kernels
