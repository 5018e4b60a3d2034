// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/ordered_reshapes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/renaming.h"
#include "sw/compiler/fuse/fusion_plan.h"
#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler::fuse {

namespace {

/// The shape with its dimensions in another order.
hlo::Shape ordered(hlo::Shape shape, std::vector<int> minor_to_major) {
  shape.minor_to_major = std::move(minor_to_major);
  return shape;
}

hlo::Instruction copy_of(hlo::InstructionId operand, const hlo::Instruction& reshape, hlo::Shape shape) {
  hlo::Instruction copy;
  copy.opcode = hlo::Opcode::copy;
  copy.name = reshape.name + ".copy";
  copy.op_name = reshape.op_name;
  copy.operands = {operand};
  copy.shape = std::move(shape);
  return copy;
}

}  // namespace

void order_reshapes(hlo::Computation& computation) {
  const std::vector<bool> fused = into_reductions(computation);
  const hlo::InstructionId count = hlo::InstructionId(computation.instructions.size());
  const auto append = [&](hlo::Instruction instruction) {
    computation.instructions.push_back(std::move(instruction));
    return hlo::InstructionId(computation.instructions.size()) - 1;
  };
  for (hlo::InstructionId id = 0; id < count; ++id) {
    const hlo::Instruction reshape = computation[id];
    if (reshape.opcode != hlo::Opcode::reshape || fused[std::size_t(id)]) continue;
    const hlo::InstructionId operand = reshape.operands.front();
    const hlo::Shape read = computation[operand].shape;
    if (hlo::keeps_order(read, reshape.shape)) continue;
    const std::optional<std::vector<int>> before = hlo::order_for_renaming(reshape.shape, read);
    if (before) {
      const hlo::InstructionId copy = append(copy_of(operand, reshape, ordered(read, *before)));
      computation.instructions[std::size_t(id)].operands = {copy};
      continue;
    }
    const std::optional<std::vector<int>> after = hlo::order_for_renaming(read, reshape.shape);
    hlo::Instruction kept = reshape;
    kept.name += ".reshape";
    kept.shape = ordered(reshape.shape, after.value_or(std::vector<int>{}));
    if (!after) kept.operands = {append(copy_of(operand, reshape, ordered(read, {})))};
    hlo::Instruction copy = copy_of(append(std::move(kept)), reshape, reshape.shape);
    copy.name = reshape.name;
    copy.source = reshape.source;
    computation.instructions[std::size_t(id)] = std::move(copy);
  }
  if (hlo::InstructionId(computation.instructions.size()) > count)
    computation = in_order_of_need(std::move(computation));
}

}  // namespace podsim::sw::compiler::fuse
