// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/batch_norm.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/expanders/replace.h"
#include "hlo/transform/formulas/batch_norm.h"

namespace podsim::hlo::expanders {
namespace {

bool is_batch_norm(Opcode opcode) {
  return opcode == Opcode::batch_norm_training || opcode == Opcode::batch_norm_inference ||
         opcode == Opcode::batch_norm_grad;
}

std::optional<Module> expansion_of_batch_norm(const Computation& computation, InstructionId id) {
  const Instruction& instruction = computation[id];
  if (!is_batch_norm(instruction.opcode)) return std::nullopt;
  build::GraphBuilder b("batch_norm");
  const Shape& whole = computation[instruction.operands[0]].shape;
  const ElementType type = transform::formulas::batch_norm_type(whole.element_type);
  std::vector<InstructionId> operands;
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    const InstructionId parameter =
        b.parameter(computation[instruction.operands[k]].shape, "operand" + std::to_string(k));
    operands.push_back(b.convert(parameter, type));
  }
  std::vector<std::int64_t> summed;
  for (int d = 0; d < whole.rank(); ++d) {
    if (d != instruction.index) summed.push_back(d);
  }
  const std::int64_t features = whole.dimensions[std::size_t(instruction.index)];
  const std::int64_t count = features == 0 ? 0 : whole.element_count() / features;
  std::vector<InstructionId> results = transform::formulas::write_batch_norm(
      b, instruction, operands, count, [&](InstructionId x) { return b.reduce_add(x, summed); });
  if (!instruction.shape.is_tuple()) {
    const InstructionId root = b.convert(results[0], instruction.shape.element_type);
    return std::move(b).build(root);
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    results[k] = b.convert(results[k], instruction.shape.tuple_shapes[k].element_type);
  }
  const InstructionId root = b.tuple(std::move(results));
  return std::move(b).build(root);
}

}  // namespace

void expand_batch_norms(Module& module) { replace_instructions(module, expansion_of_batch_norm); }

}  // namespace podsim::hlo::expanders
