// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/rebuild.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace podsim::sw::compiler::fuse {
namespace {

/// True for instructions with an effect other than their result.
bool has_side_effect(const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case ir::Opcode::outfeed:
    case ir::Opcode::send:
    case ir::Opcode::send_done:
    case ir::Opcode::custom_call:
      return true;
    case ir::Opcode::while_loop:
    case ir::Opcode::conditional:
    case ir::Opcode::call:
      return true;  // because of instructions that they may contain
    default:
      return false;
  }
}

/// Marks the parameters and the instructions that the root or side effects need.
std::vector<bool> needed(const ir::Computation& computation) {
  std::vector<bool> reached(computation.instructions.size(), false);
  std::vector<ir::InstructionId> open(computation.parameters.begin(), computation.parameters.end());
  open.push_back(computation.root);
  for (ir::InstructionId id = 0; id < ir::InstructionId(reached.size()); ++id) {
    if (has_side_effect(computation[id])) open.push_back(id);
  }
  while (!open.empty()) {
    ir::InstructionId id = open.back();
    open.pop_back();
    if (reached[id]) continue;
    reached[id] = true;
    open.insert(open.end(), computation[id].operands.begin(), computation[id].operands.end());
  }
  return reached;
}

}  // namespace

ir::Computation sorted_topologically(ir::Computation computation) {
  std::vector<ir::InstructionId> present(computation.instructions.size());
  std::iota(present.begin(), present.end(), 0);
  return sorted_topologically(std::move(computation), present);
}

ir::Computation sorted_topologically(ir::Computation computation, std::span<const ir::InstructionId> order) {
  const std::vector<bool> reached = needed(computation);
  std::vector<int> missing(computation.instructions.size(), 0), rank(computation.instructions.size(), 0);
  std::vector<std::vector<ir::InstructionId>> readers(computation.instructions.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;  ///< ranks: positions in the order
  for (std::size_t i = 0; i < order.size(); ++i) rank[std::size_t(order[i])] = int(i);
  for (ir::InstructionId id = 0; id < int(missing.size()); ++id) {
    if (!reached[id]) continue;
    missing[id] = int(computation[id].operands.size());
    for (ir::InstructionId operand : computation[id].operands) readers[operand].push_back(id);
    if (missing[id] == 0) ready.push(rank[id]);
  }

  std::vector<ir::InstructionId> found;
  found.reserve(computation.instructions.size());
  while (!ready.empty()) {
    found.push_back(order[std::size_t(ready.top())]);
    ready.pop();
    for (ir::InstructionId reader : readers[found.back()]) {
      if (--missing[reader] == 0) ready.push(rank[reader]);
    }
  }
  if (found.size() == computation.instructions.size() && std::ranges::is_sorted(found)) return computation;

  std::vector<ir::InstructionId> position(computation.instructions.size(), -1);
  std::vector<ir::Instruction> sorted;
  sorted.reserve(found.size());
  for (const ir::InstructionId id : found) {
    position[id] = ir::InstructionId(sorted.size());
    sorted.push_back(std::move(computation.instructions[id]));
    for (ir::InstructionId& operand : sorted.back().operands) operand = position[operand];
  }
  computation.instructions = std::move(sorted);
  computation.root = position[computation.root];
  for (ir::InstructionId& parameter : computation.parameters) parameter = position[parameter];
  return computation;
}

ir::Computation in_order_of_need(ir::Computation computation) {
  const std::vector<bool> reached = needed(computation);
  std::vector<bool> placed(reached.size(), false);
  std::vector<ir::InstructionId> order, open;
  for (ir::InstructionId next = 0; next < ir::InstructionId(reached.size()); ++next) {
    if (reached[std::size_t(next)]) open.push_back(next);
    while (!open.empty()) {
      const ir::InstructionId id = open.back();
      const std::size_t before = open.size();
      for (const ir::InstructionId operand : computation[id].operands) {
        if (!placed[std::size_t(operand)]) open.push_back(operand);
      }
      if (open.size() > before) continue;
      open.pop_back();
      if (!placed[std::size_t(id)]) order.push_back(id);
      placed[std::size_t(id)] = true;
    }
  }
  for (ir::InstructionId id = 0; id < ir::InstructionId(reached.size()); ++id) {
    if (!placed[std::size_t(id)]) order.push_back(id);
  }
  return sorted_topologically(std::move(computation), order);
}

void bypass_copies(ir::Computation& computation) {
  for (ir::Instruction& instruction : computation.instructions) {
    for (ir::InstructionId& operand : instruction.operands) {
      const ir::Instruction& source = computation[operand];
      if (source.opcode == ir::Opcode::copy && source.phase == ir::AsyncPhase::none) operand = source.operands.front();
    }
  }
}

}  // namespace podsim::sw::compiler::fuse
