// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/reduction_shape.h"

#include <algorithm>

#include "hlo/rules/window_shape.h"

namespace podsim::hlo::rules {

namespace {

/// Requires scalar parameters of these types, in order.
void require_scalar_parameters(const Computation& computation, const std::vector<ElementType>& types) {
  require(computation.parameters.size() == types.size(), "calls a computation of another number of parameters");
  for (std::size_t i = 0; i < types.size(); ++i) {
    require_similar(computation[computation.parameters[i]].shape, make_shape(types[i], {}));
  }
}

/// Returns the types of `operands`, which must have the same dimensions.
std::vector<ElementType> types_alike(OperandShapes operands) {
  std::vector<ElementType> types;
  for (const Shape* operand : operands) {
    require_array(*operand);
    require(operand->dimensions == operands[0]->dimensions, "operands have different dimensions");
    types.push_back(operand->element_type);
  }
  return types;
}

/// Returns the first half of a reduction's operands; the second half are their initial values. Checks the combiner.
OperandShapes reduced_operands(const Instruction& instruction, OperandShapes operands, Computations computations) {
  require(!operands.empty() && operands.size() % 2 == 0, "takes an initial value for every array");
  const std::size_t count = operands.size() / 2;
  const std::vector<ElementType> types = types_alike(operands.first(count));
  for (std::size_t i = 0; i < count; ++i) require_similar(*operands[count + i], make_shape(types[i], {}));
  require_combiner(called_computation(instruction, 0, computations), types);
  return operands.first(count);
}

Shape with_dimensions(OperandShapes operands, const std::vector<std::int64_t>& dimensions) {
  std::vector<Shape> shapes;
  for (const Shape* operand : operands) shapes.push_back(make_shape(operand->element_type, dimensions));
  return one_or_tuple(std::move(shapes));
}

}  // namespace

void require_combiner(const Computation& computation, const std::vector<ElementType>& types) {
  std::vector<ElementType> pairs = types;
  pairs.insert(pairs.end(), types.begin(), types.end());
  require_scalar_parameters(computation, pairs);
  std::vector<Shape> results;
  for (const ElementType type : types) results.push_back(make_shape(type, {}));
  require_similar(computation[computation.root].shape, one_or_tuple(std::move(results)));
}

Shape infer_reduce(const Instruction& instruction, OperandShapes operands, Computations computations) {
  const OperandShapes arrays = reduced_operands(instruction, operands, computations);
  require(distinct_dimensions(instruction.dimensions, arrays[0]->rank()), "bad reduce dimensions");
  std::vector<std::int64_t> kept;
  for (int i = 0; i < arrays[0]->rank(); ++i) {
    if (std::ranges::count(instruction.dimensions, i) == 0) kept.push_back(arrays[0]->dimensions[i]);
  }
  return with_dimensions(arrays, kept);
}

Shape infer_reduce_window(const Instruction& instruction, OperandShapes operands, Computations computations) {
  const OperandShapes arrays = reduced_operands(instruction, operands, computations);
  return with_dimensions(arrays, windowed_dimensions(instruction, *arrays[0]));
}

Shape infer_select_and_scatter(const Instruction& instruction, OperandShapes operands, Computations computations) {
  require_count(operands, 3);
  const ElementType type = operands[0]->element_type;
  require_similar(*operands[2], make_shape(type, {}));
  const Computation& select = called_computation(instruction, 0, computations);
  require_scalar_parameters(select, {type, type});
  require_similar(select[select.root].shape, make_shape(ElementType::pred, {}));
  require_combiner(called_computation(instruction, 1, computations), {type});
  for (const WindowDimension& window : instruction.window) {
    require(window.base_dilation == 1 && window.window_dilation == 1, "select-and-scatter has no dilation");
  }
  require_similar(make_shape(type, windowed_dimensions(instruction, *operands[0])), *operands[1]);
  return *operands[0];
}

Shape infer_sort(const Instruction& instruction, OperandShapes operands, Computations computations) {
  require(!operands.empty(), "takes at least one operand");
  std::vector<ElementType> pairs;
  for (const ElementType type : types_alike(operands)) pairs.insert(pairs.end(), 2, type);
  require(instruction.dimensions.size() == 1 && distinct_dimensions(instruction.dimensions, operands[0]->rank()),
          "sorts along one dimension");
  const Computation& comparator = called_computation(instruction, 0, computations);
  require_scalar_parameters(comparator, pairs);
  require_similar(comparator[comparator.root].shape, make_shape(ElementType::pred, {}));
  return operands_together(operands);
}

Shape infer_topk(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 1);
  const Shape& operand = *operands[0];
  require_array(operand);
  require(operand.rank() > 0 && 0 <= instruction.index && instruction.index <= operand.dimensions.back(),
          "k is larger than the last dimension");
  Shape values = make_shape(operand.element_type, operand.dimensions);
  values.dimensions.back() = instruction.index;
  Shape indices = make_shape(ElementType::s32, values.dimensions);
  return make_tuple_shape({std::move(values), std::move(indices)});
}

Shape infer_map(const Instruction& instruction, OperandShapes operands, Computations computations) {
  require(!operands.empty(), "takes at least one operand");
  const Computation& function = called_computation(instruction, 0, computations);
  require_scalar_parameters(function, types_alike(operands));
  const Shape& result = function[function.root].shape;
  require_scalar(result);
  return make_shape(result.element_type, operands[0]->dimensions);
}

}  // namespace podsim::hlo::rules
