// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/rearrangement_shape.h"

#include <algorithm>

namespace podsim::hlo::rules {

namespace {

constexpr std::int64_t max_padding = std::int64_t(1) << 40;

const Shape& only_array(OperandShapes operands) {
  require_count(operands, 1);
  require_array(*operands[0]);
  return *operands[0];
}

std::int64_t bits_of(ElementType type) { return element_types()[std::size_t(type)].bits; }

/// Requires the starts of a dynamic slice: a scalar integer per dimension of the operand, or all in one vector.
void require_starts(OperandShapes starts, int rank) {
  const bool vector = starts.size() == 1 && starts[0]->dimensions == std::vector<std::int64_t>{rank};
  require(vector || int(starts.size()) == rank, "takes a start for every dimension");
  for (const Shape* start : starts) {
    require(is_integer(start->element_type), "starts are integers");
    if (!vector) require_scalar(*start);
  }
}

}  // namespace

Shape infer_iota(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 0);
  require_array(instruction.shape);
  require(instruction.index >= 0 && instruction.index < instruction.shape.rank(), "iota dimension out of range");
  return instruction.shape;
}

Shape infer_broadcast(const Instruction& instruction, OperandShapes operands) {
  const Shape& operand = only_array(operands);
  const Shape& result = instruction.shape;
  require(similar(operand.element_type, result.element_type), "broadcast changes the element type");
  require(int(instruction.dimensions.size()) == operand.rank(), "broadcast maps another number of dimensions");
  require(distinct_dimensions(instruction.dimensions, result.rank()), "broadcast dimensions out of range");
  for (int i = 0; i < operand.rank(); ++i) {
    require(operand.dimensions[i] == result.dimensions[instruction.dimensions[i]], "broadcast changes a dimension");
  }
  return result;
}

Shape infer_reshape(const Instruction& instruction, OperandShapes operands) {
  const Shape& operand = only_array(operands);
  require(similar(operand.element_type, instruction.shape.element_type), "reshape changes the element type");
  require(operand.element_count() == instruction.shape.element_count(), "reshape changes the number of elements");
  return instruction.shape;
}

Shape infer_bitcast(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 1);
  return instruction.shape;
}

Shape infer_bitcast_convert(const Instruction& instruction, OperandShapes operands) {
  const Shape& operand = only_array(operands);
  const ElementType type = instruction.shape.element_type;
  require_array(instruction.shape);
  const std::int64_t from = bits_of(operand.element_type), to = bits_of(type);
  Shape shape = make_shape(type, operand.dimensions);
  if (from > to) {
    require(from % to == 0, "neither type's bits are a multiple of the other's");
    shape.dimensions.push_back(from / to);
  } else if (from < to) {
    require(to % from == 0 && operand.rank() > 0 && operand.dimensions.back() == to / from,
            "the last dimension does not make up an element");
    shape.dimensions.pop_back();
  }
  return shape;
}

Shape infer_transpose(const Instruction& instruction, OperandShapes operands) {
  const Shape& operand = only_array(operands);
  require(int(instruction.dimensions.size()) == operand.rank() &&
              distinct_dimensions(instruction.dimensions, operand.rank()),
          "transpose is not a permutation");
  Shape shape = make_shape(operand.element_type, operand.dimensions);
  for (int i = 0; i < operand.rank(); ++i) shape.dimensions[i] = operand.dimensions[instruction.dimensions[i]];
  return shape;
}

Shape infer_reverse(const Instruction& instruction, OperandShapes operands) {
  const Shape& operand = only_array(operands);
  require(distinct_dimensions(instruction.dimensions, operand.rank()), "bad reverse dimensions");
  return operand;
}

Shape infer_pad(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 2);
  require_array(*operands[0]);
  require_similar(*operands[1], make_shape(operands[0]->element_type, {}));
  require(int(instruction.padding.size()) == operands[0]->rank(), "pads another number of dimensions");
  Shape shape = make_shape(operands[0]->element_type, operands[0]->dimensions);
  for (int i = 0; i < shape.rank(); ++i) {
    const PadDimension& pad = instruction.padding[i];
    require(pad.interior >= 0, "negative interior padding");
    for (const std::int64_t amount : {pad.low, pad.high, pad.interior}) {
      require(-max_padding < amount && amount < max_padding, "more padding than there is memory");
    }
    require(shape.dimensions[i] < max_padding / (pad.interior + 1), "more padding than there is memory");
    std::int64_t& size = shape.dimensions[i];
    size += pad.low + pad.high + pad.interior * std::max<std::int64_t>(size - 1, 0);
    require(size >= 0, "padding removes more than there is");
  }
  return shape;
}

Shape infer_slice(const Instruction& instruction, OperandShapes operands) {
  const Shape& operand = only_array(operands);
  require(int(instruction.slice.size()) == operand.rank(), "slices another number of dimensions");
  Shape shape = make_shape(operand.element_type, operand.dimensions);
  for (int i = 0; i < shape.rank(); ++i) {
    const SliceDimension& slice = instruction.slice[i];
    require(0 <= slice.start && slice.start <= slice.limit && slice.limit <= operand.dimensions[i] && slice.stride > 0,
            "slice out of range");
    shape.dimensions[i] = base::divide_round_up(slice.limit - slice.start, slice.stride);
  }
  return shape;
}

Shape infer_dynamic_slice(const Instruction& instruction, OperandShapes operands) {
  require_at_least(operands, 1);
  const Shape& operand = *operands[0];
  require_array(operand);
  require_starts(operands.subspan(1), operand.rank());
  require(int(instruction.slice_sizes.size()) == operand.rank(), "slices another number of dimensions");
  for (int i = 0; i < operand.rank(); ++i) {
    require(0 <= instruction.slice_sizes[i] && instruction.slice_sizes[i] <= operand.dimensions[i],
            "the slice is larger than the operand");
  }
  return make_shape(operand.element_type, instruction.slice_sizes);
}

Shape infer_dynamic_update_slice(const Instruction&, OperandShapes operands) {
  require_at_least(operands, 2);
  const Shape& operand = *operands[0];
  const Shape& update = *operands[1];
  require_array(operand);
  require(similar(update.element_type, operand.element_type) && update.rank() == operand.rank(),
          "the update has another type or rank");
  for (int i = 0; i < operand.rank(); ++i) {
    require(update.dimensions[i] <= operand.dimensions[i], "the update is larger than the operand");
  }
  require_starts(operands.subspan(2), operand.rank());
  return operand;
}

Shape infer_concatenate(const Instruction& instruction, OperandShapes operands) {
  require(!operands.empty() && instruction.dimensions.size() == 1, "concatenate takes operands and one dimension");
  require_array(*operands[0]);
  const std::int64_t along = instruction.dimensions[0];
  Shape shape = make_shape(operands[0]->element_type, operands[0]->dimensions);
  require(along >= 0 && along < shape.rank(), "concatenate dimension out of range");
  shape.dimensions[along] = 0;
  for (const Shape* operand : operands) {
    require(operand->rank() == shape.rank() && similar(operand->element_type, shape.element_type),
            "concatenates different ranks or types");
    Shape rest = make_shape(operand->element_type, operand->dimensions);
    rest.dimensions[along] = shape.dimensions[along];
    require_similar(rest, shape);
    shape.dimensions[along] += operand->dimensions[along];
  }
  return shape;
}

}  // namespace podsim::hlo::rules
