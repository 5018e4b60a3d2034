// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/memory_spaces.h"

#include <fmt/format.h>

#include <string>

#include "hlo/rules/instruction_error.h"
#include "hw/memory_levels.h"

namespace podsim::sw::compiler {
namespace {

class MemoryCheck {
 public:
  explicit MemoryCheck(const TargetMachine& machine) : machine_(machine) {}

  void check(const hlo::Instruction& instruction) const { check(instruction.name, instruction.shape); }

 private:
  void check(const std::string& name, const hlo::Shape& shape) const {
    for (const hlo::Shape& element : shape.tuple_shapes) check(name, element);
    const int number = shape.memory_space;
    if (number <= hw::level::vmem || hw::declared_level(machine_, number) != nullptr) return;
    if (hlo::padded_bytes(shape) <= machine_.scalar.smem) return;
    throw hlo::rules::InstructionError(
        name,
        fmt::format("{} has {} in memory S({}), which {} does not have", name, hlo::to_string(shape), number,
                    machine_.name),
        fmt::format("it has {}; a table [memory.NAME] of a machine file declares another", known()));
  }

  std::string known() const {
    std::string text;
    for (const hw::MemoryLevel& level : hw::memory_levels(machine_)) {
      text += fmt::format("{}S({}) {}", text.empty() ? "" : ", ", level.number, level.name);
    }
    return text;
  }

  const TargetMachine& machine_;
};

}  // namespace

void require_memories(const hlo::Module& module, const TargetMachine& machine) {
  const MemoryCheck check(machine);
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) check.check(instruction);
  }
}

}  // namespace podsim::sw::compiler
