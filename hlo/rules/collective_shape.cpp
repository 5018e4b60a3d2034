// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/collective_shape.h"

#include <set>

#include "hlo/permuted_slices.h"
#include "hlo/rules/reduction_shape.h"

namespace podsim::hlo::rules {

namespace {

void require_reduction(const Instruction& instruction, OperandShapes operands, Computations computations) {
  const Computation& combiner = called_computation(instruction, 0, computations);
  require(!operands.empty(), "reduces no operand");
  // One combiner serves operands of several types; its type is one of them, or a wider one.
  require(combiner.parameters.size() == 2, "calls a computation that does not take two parameters");
  const Shape& scalar = combiner[combiner.parameters[0]].shape;
  require_scalar(scalar);
  require_combiner(combiner, {scalar.element_type});
  for (const Shape* operand : operands) require_array(*operand);
}

/// Returns the written result shapes after checking that they differ from the operands in one dimension only, by a
/// whole factor.
Shape resized(const Instruction& instruction, OperandShapes operands, bool grows) {
  require(!operands.empty(), "takes at least one operand");
  const Shape& written = instruction.shape;
  const bool tuple = written.is_tuple();
  require((tuple ? written.tuple_shapes.size() : 1) == operands.size(), "gives as many arrays as it takes");
  require(instruction.dimensions.size() == 1, "works along one dimension");
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Shape& result = tuple ? written.tuple_shapes[k] : written;
    const Shape& operand = *operands[k];
    require_array(operand);
    require(similar(result.element_type, operand.element_type) && result.rank() == operand.rank() &&
                distinct_dimensions(instruction.dimensions, operand.rank()),
            "changes the type or the rank");
    for (int i = 0; i < operand.rank(); ++i) {
      const std::int64_t small = grows ? operand.dimensions[i] : result.dimensions[i];
      const std::int64_t large = grows ? result.dimensions[i] : operand.dimensions[i];
      const bool along = i == instruction.dimensions[0];
      require(small == large || (along && small > 0 && large % small == 0), "changes another dimension");
    }
  }
  return written;
}

/// Requires that each device is a source at most once and a target at most once.
void require_permutation(const Instruction& instruction) {
  std::set<std::int64_t> sources, targets;
  for (const auto& [source, target] : instruction.participants->source_target_pairs) {
    require(sources.insert(source).second, "names a device as a source twice");
    require(targets.insert(target).second, "names a device as a target twice");
  }
}

Shape infer_all_to_all(const Instruction& instruction, OperandShapes operands) {
  require(!operands.empty(), "takes at least one operand");
  require_array(*operands[0]);
  if (instruction.dimensions.empty() || instruction.shape.is_tuple()) {
    for (const Shape* operand : operands) require_compatible(*operand, *operands[0]);
    std::vector<Shape> shapes(operands.size(), *operands[0]);
    return make_tuple_shape(std::move(shapes));
  }
  require_count(operands, 1);
  require(instruction.dimensions.size() == 1 && distinct_dimensions(instruction.dimensions, operands[0]->rank()),
          "works along one dimension");
  return *operands[0];
}

/// Scalars among the arrays of a shape.
std::size_t count_scalars(const Shape& shape) {
  if (!shape.is_tuple()) {
    require_scalar(shape);
    return 1;
  }
  std::size_t count = 0;
  for (const Shape& element : shape.tuple_shapes) count += count_scalars(element);
  return count;
}

/// A collective-permute into an array that exists, at offsets in tuples of scalars.
Shape infer_in_place(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 4);
  require_compatible(*operands[0], *operands[1]);
  permuted_slices(instruction, *operands[0]);
  require(count_scalars(*operands[2]) == instruction.slice_sizes.size() &&
              count_scalars(*operands[3]) == instruction.slice_sizes.size(),
          "has an offset for each dimension of each slice");
  return *operands[1];
}

}  // namespace

Shape infer_collective(const Instruction& instruction, OperandShapes operands, Computations computations) {
  switch (instruction.opcode) {
    case Opcode::all_reduce:
      require_reduction(instruction, operands, computations);
      return operands_together(operands);
    case Opcode::reduce_scatter:
      require_reduction(instruction, operands, computations);
      return resized(instruction, operands, false);
    case Opcode::all_gather:
      return resized(instruction, operands, true);
    case Opcode::all_to_all:
      return infer_all_to_all(instruction, operands);
    case Opcode::collective_permute:
      require_permutation(instruction);
      [[fallthrough]];
    case Opcode::collective_broadcast:
      require(!operands.empty(), "takes at least one operand");
      return is_in_place(instruction) ? infer_in_place(instruction, operands) : operands_together(operands);
    case Opcode::ragged_all_to_all:
      require_count(operands, 6);
      return *operands[1];
    default:
      return instruction.shape;  // send, recv
  }
}

}  // namespace podsim::hlo::rules
