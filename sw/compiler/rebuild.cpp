// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/rebuild.h"

#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace podsim::sw {
namespace {

/// What acts on the world beside its result.
bool has_side_effect(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::outfeed:
    case Opcode::send:
    case Opcode::send_done:
    case Opcode::custom_call:
      return true;
    case Opcode::while_loop:
    case Opcode::conditional:
    case Opcode::call:
      return true;  // for what they may hold
    default:
      return false;
  }
}

/// What the root or the world needs, and the parameters.
std::vector<bool> needed(const Computation& computation) {
  std::vector<bool> reached(computation.instructions.size(), false);
  std::vector<InstructionId> open(computation.parameters.begin(), computation.parameters.end());
  open.push_back(computation.root);
  for (InstructionId id = 0; id < InstructionId(reached.size()); ++id) {
    if (has_side_effect(computation[id])) open.push_back(id);
  }
  while (!open.empty()) {
    InstructionId id = open.back();
    open.pop_back();
    if (reached[id]) continue;
    reached[id] = true;
    open.insert(open.end(), computation[id].operands.begin(), computation[id].operands.end());
  }
  return reached;
}

}  // namespace

Computation sorted_topologically(Computation computation) {
  std::vector<InstructionId> present(computation.instructions.size());
  std::iota(present.begin(), present.end(), 0);
  return sorted_topologically(std::move(computation), present);
}

Computation sorted_topologically(Computation computation, std::span<const InstructionId> order) {
  const std::vector<bool> reached = needed(computation);
  std::vector<int> missing(computation.instructions.size(), 0), rank(computation.instructions.size(), 0);
  std::vector<std::vector<InstructionId>> readers(computation.instructions.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;  ///< ranks: places in the order
  for (std::size_t i = 0; i < order.size(); ++i) rank[std::size_t(order[i])] = int(i);
  for (InstructionId id = 0; id < int(missing.size()); ++id) {
    if (!reached[id]) continue;
    missing[id] = int(computation[id].operands.size());
    for (InstructionId operand : computation[id].operands) readers[operand].push_back(id);
    if (missing[id] == 0) ready.push(rank[id]);
  }

  std::vector<InstructionId> position(computation.instructions.size(), -1);
  std::vector<Instruction> sorted;
  sorted.reserve(computation.instructions.size());
  while (!ready.empty()) {
    const InstructionId id = order[std::size_t(ready.top())];
    ready.pop();
    position[id] = InstructionId(sorted.size());
    sorted.push_back(std::move(computation.instructions[id]));
    for (InstructionId& operand : sorted.back().operands) operand = position[operand];
    for (InstructionId reader : readers[id]) {
      if (--missing[reader] == 0) ready.push(rank[reader]);
    }
  }
  computation.instructions = std::move(sorted);
  computation.root = position[computation.root];
  for (InstructionId& parameter : computation.parameters) parameter = position[parameter];
  return computation;
}

Computation in_order_of_need(Computation computation) {
  const std::vector<bool> reached = needed(computation);
  std::vector<bool> placed(reached.size(), false);
  std::vector<InstructionId> order, open;
  for (InstructionId next = 0; next < InstructionId(reached.size()); ++next) {
    if (reached[std::size_t(next)]) open.push_back(next);
    while (!open.empty()) {
      const InstructionId id = open.back();
      const std::size_t before = open.size();
      for (const InstructionId operand : computation[id].operands) {
        if (!placed[std::size_t(operand)]) open.push_back(operand);
      }
      if (open.size() > before) continue;
      open.pop_back();
      if (!placed[std::size_t(id)]) order.push_back(id);
      placed[std::size_t(id)] = true;
    }
  }
  for (InstructionId id = 0; id < InstructionId(reached.size()); ++id) {
    if (!placed[std::size_t(id)]) order.push_back(id);
  }
  return sorted_topologically(std::move(computation), order);
}

void bypass_copies(Computation& computation) {
  for (Instruction& instruction : computation.instructions) {
    for (InstructionId& operand : instruction.operands) {
      const Instruction& source = computation[operand];
      if (source.opcode == Opcode::copy && source.phase == AsyncPhase::none) operand = source.operands.front();
    }
  }
}

}  // namespace podsim::sw
