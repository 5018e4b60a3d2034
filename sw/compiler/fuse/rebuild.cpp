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
bool has_side_effect(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::outfeed:
    case hlo::Opcode::send:
    case hlo::Opcode::send_done:
    case hlo::Opcode::custom_call:
      return true;
    case hlo::Opcode::while_loop:
    case hlo::Opcode::conditional:
    case hlo::Opcode::call:
      return true;  // because of instructions that they may contain
    default:
      return false;
  }
}

/// Marks the parameters and the instructions that the root or side effects need.
std::vector<bool> needed(const hlo::Computation& computation) {
  std::vector<bool> reached(computation.instructions.size(), false);
  std::vector<hlo::InstructionId> open(computation.parameters.begin(), computation.parameters.end());
  open.push_back(computation.root);
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(reached.size()); ++id) {
    if (has_side_effect(computation[id])) open.push_back(id);
  }
  while (!open.empty()) {
    hlo::InstructionId id = open.back();
    open.pop_back();
    if (reached[id]) continue;
    reached[id] = true;
    open.insert(open.end(), computation[id].operands.begin(), computation[id].operands.end());
  }
  return reached;
}

}  // namespace

hlo::Computation sorted_topologically(hlo::Computation computation) {
  std::vector<hlo::InstructionId> present(computation.instructions.size());
  std::iota(present.begin(), present.end(), 0);
  return sorted_topologically(std::move(computation), present);
}

hlo::Computation sorted_topologically(hlo::Computation computation, std::span<const hlo::InstructionId> order) {
  const std::vector<bool> reached = needed(computation);
  std::vector<int> missing(computation.instructions.size(), 0), rank(computation.instructions.size(), 0);
  std::vector<std::vector<hlo::InstructionId>> readers(computation.instructions.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;  ///< ranks: positions in the order
  for (std::size_t i = 0; i < order.size(); ++i) rank[std::size_t(order[i])] = int(i);
  for (hlo::InstructionId id = 0; id < int(missing.size()); ++id) {
    if (!reached[id]) continue;
    missing[id] = int(computation[id].operands.size());
    for (hlo::InstructionId operand : computation[id].operands) readers[operand].push_back(id);
    if (missing[id] == 0) ready.push(rank[id]);
  }

  std::vector<hlo::InstructionId> found;
  found.reserve(computation.instructions.size());
  while (!ready.empty()) {
    found.push_back(order[std::size_t(ready.top())]);
    ready.pop();
    for (hlo::InstructionId reader : readers[found.back()]) {
      if (--missing[reader] == 0) ready.push(rank[reader]);
    }
  }
  if (found.size() == computation.instructions.size() && std::ranges::is_sorted(found)) return computation;

  std::vector<hlo::InstructionId> position(computation.instructions.size(), -1);
  std::vector<hlo::Instruction> sorted;
  sorted.reserve(found.size());
  for (const hlo::InstructionId id : found) {
    position[id] = hlo::InstructionId(sorted.size());
    sorted.push_back(std::move(computation.instructions[id]));
    for (hlo::InstructionId& operand : sorted.back().operands) operand = position[operand];
  }
  computation.instructions = std::move(sorted);
  computation.root = position[computation.root];
  for (hlo::InstructionId& parameter : computation.parameters) parameter = position[parameter];
  return computation;
}

hlo::Computation in_order_of_need(hlo::Computation computation) {
  const std::vector<bool> reached = needed(computation);
  std::vector<bool> placed(reached.size(), false);
  std::vector<hlo::InstructionId> order, open;
  for (hlo::InstructionId next = 0; next < hlo::InstructionId(reached.size()); ++next) {
    if (reached[std::size_t(next)]) open.push_back(next);
    while (!open.empty()) {
      const hlo::InstructionId id = open.back();
      const std::size_t before = open.size();
      for (const hlo::InstructionId operand : computation[id].operands) {
        if (!placed[std::size_t(operand)]) open.push_back(operand);
      }
      if (open.size() > before) continue;
      open.pop_back();
      if (!placed[std::size_t(id)]) order.push_back(id);
      placed[std::size_t(id)] = true;
    }
  }
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(reached.size()); ++id) {
    if (!placed[std::size_t(id)]) order.push_back(id);
  }
  return sorted_topologically(std::move(computation), order);
}

void bypass_copies(hlo::Computation& computation) {
  for (hlo::Instruction& instruction : computation.instructions) {
    for (hlo::InstructionId& operand : instruction.operands) {
      const hlo::Instruction& source = computation[operand];
      if (source.opcode == hlo::Opcode::copy && source.phase == hlo::AsyncPhase::none)
        operand = source.operands.front();
    }
  }
}

}  // namespace podsim::sw::compiler::fuse
