// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/transform/forward_part.h"

#include <algorithm>
#include <set>

#include "sw/ir/instruction_identity.h"

namespace podsim::sw::ir::transform {

namespace {

/// Drops what neither the root nor an instruction with effects uses, and renumbers the rest.
void drop_dead(Computation& computation) {
  const auto size = InstructionId(computation.instructions.size());
  std::vector<bool> used(std::size_t(size), false);
  for (InstructionId id = size - 1; id >= 0; --id) {
    const Instruction& instruction = computation[id];
    used[std::size_t(id)] = used[std::size_t(id)] || id == computation.root || !is_shareable(instruction.opcode);
    if (!used[std::size_t(id)]) continue;
    for (const InstructionId operand : instruction.operands) used[std::size_t(operand)] = true;
  }
  std::vector<InstructionId> renumbered(std::size_t(size), -1);
  std::vector<Instruction> kept;
  for (InstructionId id = 0; id < size; ++id) {
    if (!used[std::size_t(id)]) continue;
    renumbered[std::size_t(id)] = InstructionId(kept.size());
    kept.push_back(std::move(computation[id]));
    for (InstructionId& operand : kept.back().operands) operand = renumbered[std::size_t(operand)];
  }
  for (InstructionId& parameter : computation.parameters) parameter = renumbered[std::size_t(parameter)];
  computation.root = renumbered[std::size_t(computation.root)];
  computation.instructions = std::move(kept);
}

}  // namespace

std::optional<Module> forward_part(Module step, std::span<const Donation> donations) {
  Computation& entry = step.computations[std::size_t(step.entry)];
  Instruction& root = entry[entry.root];
  if (donations.empty() || root.opcode != Opcode::tuple) return std::nullopt;
  std::set<std::int64_t> replacing;
  for (const Donation& donation : donations) replacing.insert(donation.output);
  std::vector<InstructionId> operands;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < root.operands.size(); ++i) {
    if (replacing.contains(std::int64_t(i))) continue;
    operands.push_back(root.operands[i]);
    shapes.push_back(root.shape.tuple_shapes[i]);
  }
  if (operands.empty()) return std::nullopt;
  root.operands = std::move(operands);
  root.shape.tuple_shapes = std::move(shapes);
  root.sharding = nullptr;
  drop_dead(entry);
  step.donations.clear();
  return step;
}

}  // namespace podsim::sw::ir::transform
