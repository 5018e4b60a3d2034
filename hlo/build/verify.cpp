// SPDX-License-Identifier: Apache-2.0
#include "hlo/build/verify.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "hlo/rules/shape_inference.h"

namespace podsim::hlo::build {

namespace {

void verify_parameters(const Computation& computation) {
  for (std::size_t i = 0; i < computation.parameters.size(); ++i) {
    const InstructionId id = computation.parameters[i];
    if (id < 0 || id >= int(computation.instructions.size()) || computation[id].opcode != Opcode::parameter ||
        computation[id].index != std::int64_t(i)) {
      throw std::logic_error(fmt::format("{}: parameter {} is not listed in order", computation.name, i));
    }
  }
  const auto declared = std::ranges::count(computation.instructions, Opcode::parameter, &Instruction::opcode);
  if (declared != std::int64_t(computation.parameters.size())) {
    throw std::logic_error(computation.name + ": a parameter is missing from the list of parameters");
  }
}

void verify(const Computation& computation, std::span<const Computation> preceding) {
  std::unordered_set<std::string_view> names;
  const int count = int(computation.instructions.size());
  for (InstructionId id = 0; id < count; ++id) {
    const Instruction& instruction = computation[id];
    try {
      if (!names.insert(instruction.name).second) throw std::logic_error("name is not unique");
      for (const InstructionId operand : instruction.operands) {
        if (operand < 0 || operand >= id) throw std::logic_error("an operand does not precede its user");
      }
      rules::verify_shape(instruction, computation, preceding);
    } catch (const std::logic_error& error) {
      throw std::logic_error(fmt::format("{}/{} = {}: {}", computation.name, instruction.name,
                                         to_string(instruction.opcode), error.what()));
    }
  }
  if (computation.root < 0 || computation.root >= count) throw std::logic_error(computation.name + ": no root");
  verify_parameters(computation);
}

}  // namespace

void verify(const Module& module) {
  const int count = int(module.computations.size());
  if (module.entry < 0 || module.entry >= count) throw std::logic_error(module.name + ": no entry computation");
  for (ComputationId id = 0; id < count; ++id) {
    verify(module.computations[id], std::span(module.computations).first(id));
  }
}

}  // namespace podsim::hlo::build
