// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/formulas/array_function.h"

#include <utility>

namespace podsim::hlo::transform::formulas {

namespace {

using Leaves = std::vector<InstructionId>;

Leaves leaves_of_operands(const Instruction& instruction, const std::vector<Leaves>& values) {
  Leaves all;
  for (const InstructionId operand : instruction.operands) {
    const Leaves& leaves = values[std::size_t(operand)];
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  return all;
}

/// The element of a tuple of scalars.
std::optional<Leaves> element_of_leaves(const Instruction& get, const Leaves& tuple) {
  if (get.shape.is_tuple() || std::size_t(get.index) >= tuple.size()) return std::nullopt;
  return Leaves{tuple[std::size_t(get.index)]};
}

std::optional<Leaves> elementwise_on_arrays(build::GraphBuilder& b, const Instruction& scalar, const Leaves& operands,
                                            const std::vector<std::int64_t>& sizes) {
  if (scalar.phase != AsyncPhase::none) return std::nullopt;
  if (scalar.opcode == Opcode::constant && scalar.literal && scalar.shape.rank() == 0) {
    return Leaves{b.broadcast(b.constant(*scalar.literal), sizes)};
  }
  const bool is_scalar_move = scalar.opcode == Opcode::broadcast || scalar.opcode == Opcode::reshape;
  if (is_scalar_move && scalar.shape.rank() == 0) return operands;
  if (!is_elementwise(scalar.opcode)) return std::nullopt;
  Instruction made = scalar;
  made.name.clear();
  made.op_name.clear();
  made.operands = operands;
  made.shape = make_shape(scalar.shape.element_type, sizes);
  made.sharding.reset();
  return Leaves{b.add(std::move(made))};
}

}  // namespace

std::optional<Leaves> on_arrays(build::GraphBuilder& builder, const std::vector<Computation>& computations,
                                ComputationId id, std::span<const InstructionId> arrays) {
  const Computation computation = computations[std::size_t(id)];  // the builder may add to its own
  const std::vector<std::int64_t> sizes = builder.shape(arrays[0]).dimensions;
  std::vector<Leaves> values;
  for (const Instruction& instruction : computation.instructions) {
    const Leaves operands = leaves_of_operands(instruction, values);
    std::optional<Leaves> made;
    if (instruction.opcode == Opcode::parameter) {
      made = Leaves{arrays[std::size_t(instruction.index)]};
    } else if (instruction.opcode == Opcode::tuple) {
      made = operands;
    } else if (instruction.opcode == Opcode::get_tuple_element) {
      made = element_of_leaves(instruction, operands);
    } else if (instruction.opcode == Opcode::call && !operands.empty()) {
      made = on_arrays(builder, computations, instruction.called[0], operands);
    } else {
      made = elementwise_on_arrays(builder, instruction, operands, sizes);
    }
    if (!made) return std::nullopt;
    values.push_back(std::move(*made));
  }
  return values[std::size_t(computation.root)];
}

}  // namespace podsim::hlo::transform::formulas
