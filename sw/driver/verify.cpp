// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/verify.h"

#include <fmt/format.h>

#include <span>
#include <stdexcept>

#include "sw/ir/rules/shape_inference.h"

namespace podsim::sw::driver {
namespace {

void add_faults(const ir::Computation& computation, std::span<const ir::Computation> before,
                std::vector<std::string>& faults) {
  const auto fault = [&](const ir::Instruction& at, const std::string& what) {
    faults.push_back(fmt::format("{}, {}: {}", computation.name, at.name, what));
  };
  const auto size = ir::InstructionId(computation.instructions.size());
  for (ir::InstructionId id = 0; id < size; ++id) {
    const ir::Instruction& instruction = computation[id];
    for (const ir::InstructionId operand : instruction.operands) {
      if (operand < 0 || operand >= id) return fault(instruction, "an operand does not come before it");
    }
    for (const ir::ComputationId called : instruction.called) {
      if (std::size_t(called) >= before.size()) return fault(instruction, "it calls what does not come before it");
    }
    try {
      ir::rules::verify_shape(instruction, computation, before);
    } catch (const std::logic_error& error) {
      fault(instruction, error.what());
    }
  }
  if (computation.root < 0 || computation.root >= size) faults.push_back(computation.name + ": it has no result");
}

}  // namespace

std::vector<std::string> faults_of(const ir::Module& module) {
  std::vector<std::string> faults;
  const std::span<const ir::Computation> computations = module.computations;
  for (std::size_t c = 0; c < computations.size(); ++c) add_faults(computations[c], computations.first(c), faults);
  return faults;
}

}  // namespace podsim::sw::driver
