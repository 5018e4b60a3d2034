// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/ordered_reshapes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/compiler/fuse/fusion_plan.h"
#include "sw/compiler/fuse/rebuild.h"
#include "sw/ir/renaming.h"

namespace podsim::sw::compiler::fuse {

void order_reshapes(ir::Computation& computation) {
  const std::vector<bool> fused = into_reductions(computation);
  const ir::InstructionId count = ir::InstructionId(computation.instructions.size());
  for (ir::InstructionId id = 0; id < count; ++id) {
    const ir::Instruction& reshape = computation[id];
    if (reshape.opcode != ir::Opcode::reshape || fused[std::size_t(id)]) continue;
    const ir::InstructionId operand = reshape.operands.front();
    if (ir::keeps_order(computation[operand].shape, reshape.shape)) continue;
    const std::optional<std::vector<int>> order = ir::order_for_renaming(reshape.shape, computation[operand].shape);
    if (!order) continue;
    ir::Instruction copy;
    copy.opcode = ir::Opcode::copy;
    copy.name = reshape.name + ".copy";
    copy.op_name = reshape.op_name;
    copy.operands = {operand};
    copy.shape = computation[operand].shape;
    copy.shape.minor_to_major = *order;
    computation.instructions.push_back(std::move(copy));
    computation.instructions[std::size_t(id)].operands = {ir::InstructionId(computation.instructions.size()) - 1};
  }
  if (ir::InstructionId(computation.instructions.size()) > count)
    computation = in_order_of_need(std::move(computation));
}

}  // namespace podsim::sw::compiler::fuse
