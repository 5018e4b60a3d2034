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

void order_reshapes(hlo::Computation& computation) {
  const std::vector<bool> fused = into_reductions(computation);
  const hlo::InstructionId count = hlo::InstructionId(computation.instructions.size());
  for (hlo::InstructionId id = 0; id < count; ++id) {
    const hlo::Instruction& reshape = computation[id];
    if (reshape.opcode != hlo::Opcode::reshape || fused[std::size_t(id)]) continue;
    const hlo::InstructionId operand = reshape.operands.front();
    if (hlo::keeps_order(computation[operand].shape, reshape.shape)) continue;
    const std::optional<std::vector<int>> order = hlo::order_for_renaming(reshape.shape, computation[operand].shape);
    if (!order) continue;
    hlo::Instruction copy;
    copy.opcode = hlo::Opcode::copy;
    copy.name = reshape.name + ".copy";
    copy.op_name = reshape.op_name;
    copy.operands = {operand};
    copy.shape = computation[operand].shape;
    copy.shape.minor_to_major = *order;
    computation.instructions.push_back(std::move(copy));
    computation.instructions[std::size_t(id)].operands = {hlo::InstructionId(computation.instructions.size()) - 1};
  }
  if (hlo::InstructionId(computation.instructions.size()) > count)
    computation = in_order_of_need(std::move(computation));
}

}  // namespace podsim::sw::compiler::fuse
