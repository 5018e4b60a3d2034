// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/shape_inference.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace podsim::sw {

namespace {

using Operands = std::span<const Shape* const>;
using Computations = std::span<const Computation>;

void require(bool holds, const char* rule) {
  if (!holds) throw std::logic_error(rule);
}

void require_count(Operands operands, std::size_t count) {
  if (operands.size() != count) {
    throw std::logic_error(fmt::format("takes {} operands, has {}", count, operands.size()));
  }
}

void require_compatible(const Shape& a, const Shape& b) {
  if (!a.compatible(b)) {
    throw std::logic_error(fmt::format("shapes {} and {} differ", to_string(a), to_string(b)));
  }
}

/// Every number of `values` in [0, rank), none twice.
bool distinct_dimensions(const auto& values, int rank) {
  std::vector<bool> seen(rank, false);
  for (auto value : values) {
    if (value < 0 || value >= rank || seen[value]) return false;
    seen[value] = true;
  }
  return true;
}

const Computation& called(const Instruction& instruction, std::size_t i, Computations computations) {
  require(i < instruction.called.size(), "lacks a called computation");
  const ComputationId id = instruction.called[i];
  require(id >= 0 && id < int(computations.size()), "calls a computation that does not exist or does not precede");
  return computations[id];
}

/// A called computation of `parameters` scalars of the element type, with a scalar result.
void require_scalar_function(const Computation& computation, ElementType argument, ElementType result) {
  require(computation.parameters.size() == 2, "calls a computation that does not take two parameters");
  for (InstructionId parameter : computation.parameters) {
    require_compatible(computation[parameter].shape, make_shape(argument, {}));
  }
  require_compatible(computation[computation.root].shape, make_shape(result, {}));
}

void require_window(const WindowDimension& window) {
  require(window.size > 0 && window.stride > 0 && window.base_dilation > 0 && window.window_dilation > 0,
          "window size, stride and dilations must be positive");
}

Shape infer_elementwise(const Instruction& instruction, Operands operands) {
  switch (instruction.opcode) {
    case Opcode::convert: {
      require_count(operands, 1);
      Shape shape = *operands[0];
      shape.element_type = instruction.shape.element_type;
      return shape;
    }
    case Opcode::compare: {
      require_count(operands, 2);
      require_compatible(*operands[0], *operands[1]);
      Shape shape = *operands[0];
      shape.element_type = ElementType::pred;
      return shape;
    }
    case Opcode::select:
      require_count(operands, 3);
      require(operands[0]->element_type == ElementType::pred, "selects by something other than pred");
      require(operands[0]->dimensions == operands[1]->dimensions || operands[0]->rank() == 0,
              "predicate has another shape");
      require_compatible(*operands[1], *operands[2]);
      return *operands[1];
    case Opcode::negate:
    case Opcode::abs:
    case Opcode::exponential:
    case Opcode::log:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::tanh:
    case Opcode::sign:
    case Opcode::copy:
      require_count(operands, 1);
      return *operands[0];
    default:
      require_count(operands, 2);
      require_compatible(*operands[0], *operands[1]);
      return *operands[0];
  }
}

Shape infer_broadcast(const Instruction& instruction, const Shape& operand) {
  const Shape& result = instruction.shape;
  require(operand.element_type == result.element_type, "broadcast changes the element type");
  require(int(instruction.dimensions.size()) == operand.rank(), "broadcast maps another number of dimensions");
  require(distinct_dimensions(instruction.dimensions, result.rank()), "broadcast dimensions out of range");
  for (int i = 0; i < operand.rank(); ++i) {
    require(operand.dimensions[i] == result.dimensions[instruction.dimensions[i]], "broadcast changes a dimension");
  }
  return result;
}

Shape infer_reshape(const Instruction& instruction, const Shape& operand) {
  require(operand.element_type == instruction.shape.element_type, "reshape changes the element type");
  require(operand.element_count() == instruction.shape.element_count(), "reshape changes the number of elements");
  return instruction.shape;
}

Shape infer_transpose(const Instruction& instruction, const Shape& operand) {
  require(int(instruction.dimensions.size()) == operand.rank() &&
              distinct_dimensions(instruction.dimensions, operand.rank()),
          "transpose is not a permutation");
  Shape shape = make_shape(operand.element_type, operand.dimensions);
  for (int i = 0; i < operand.rank(); ++i) shape.dimensions[i] = operand.dimensions[instruction.dimensions[i]];
  return shape;
}

Shape infer_pad(const Instruction& instruction, Operands operands) {
  require_count(operands, 2);
  require_compatible(*operands[1], make_shape(operands[0]->element_type, {}));
  require(int(instruction.padding.size()) == operands[0]->rank(), "pads another number of dimensions");
  Shape shape = make_shape(operands[0]->element_type, operands[0]->dimensions);
  for (int i = 0; i < shape.rank(); ++i) {
    const PadDimension& pad = instruction.padding[i];
    require(pad.interior >= 0, "negative interior padding");
    std::int64_t& size = shape.dimensions[i];
    size += pad.low + pad.high + pad.interior * std::max<std::int64_t>(size - 1, 0);
    require(size >= 0, "padding removes more than there is");
  }
  return shape;
}

Shape infer_slice(const Instruction& instruction, const Shape& operand) {
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

Shape infer_concatenate(const Instruction& instruction, Operands operands) {
  require(!operands.empty() && instruction.dimensions.size() == 1, "concatenate takes operands and one dimension");
  const std::int64_t along = instruction.dimensions[0];
  Shape shape = make_shape(operands[0]->element_type, operands[0]->dimensions);
  require(along >= 0 && along < shape.rank(), "concatenate dimension out of range");
  shape.dimensions[along] = 0;
  for (const Shape* operand : operands) {
    require(operand->rank() == shape.rank() && operand->element_type == shape.element_type,
            "concatenates different ranks or types");
    Shape rest = make_shape(operand->element_type, operand->dimensions);
    rest.dimensions[along] = shape.dimensions[along];
    require_compatible(rest, shape);
    shape.dimensions[along] += operand->dimensions[along];
  }
  return shape;
}

bool covers(std::vector<int> spatial, int batch, int feature, int rank) {
  spatial.push_back(batch);
  spatial.push_back(feature);
  return int(spatial.size()) == rank && distinct_dimensions(spatial, rank);
}

Shape infer_convolution(const Instruction& instruction, Operands operands) {
  require_count(operands, 2);
  const Shape& input = *operands[0];
  const Shape& kernel = *operands[1];
  const ConvolutionDimensions& roles = instruction.convolution;
  const int rank = input.rank();
  const int spatial = int(instruction.window.size());
  require(spatial == rank - 2 && kernel.rank() == rank, "window and operand ranks differ");
  require(covers(roles.input_spatial, roles.input_batch, roles.input_feature, rank), "bad input dimension numbers");
  require(covers(roles.kernel_spatial, roles.kernel_input_feature, roles.kernel_output_feature, rank),
          "bad kernel dimension numbers");
  require(covers(roles.output_spatial, roles.output_batch, roles.output_feature, rank), "bad output dimension numbers");
  require(input.dimensions[roles.input_feature] == kernel.dimensions[roles.kernel_input_feature],
          "input and kernel features differ");
  Shape shape = make_shape(instruction.shape.element_type, std::vector<std::int64_t>(rank));
  shape.dimensions[roles.output_batch] = input.dimensions[roles.input_batch];
  shape.dimensions[roles.output_feature] = kernel.dimensions[roles.kernel_output_feature];
  for (int i = 0; i < spatial; ++i) {
    require_window(instruction.window[i]);
    require(instruction.window[i].size == kernel.dimensions[roles.kernel_spatial[i]], "window and kernel sizes differ");
    shape.dimensions[roles.output_spatial[i]] =
        window_output_size(input.dimensions[roles.input_spatial[i]], instruction.window[i]);
  }
  return shape;
}

std::vector<std::int64_t> free_sizes(const Shape& shape, const std::vector<int>& batch, const std::vector<int>& inner) {
  std::vector<std::int64_t> sizes;
  for (int i = 0; i < shape.rank(); ++i) {
    if (std::ranges::count(batch, i) + std::ranges::count(inner, i) == 0) sizes.push_back(shape.dimensions[i]);
  }
  return sizes;
}

Shape infer_dot(const Instruction& instruction, Operands operands) {
  require_count(operands, 2);
  const DotDimensions& roles = instruction.dot;
  const Shape& lhs = *operands[0];
  const Shape& rhs = *operands[1];
  require(
      roles.lhs_batch.size() == roles.rhs_batch.size() && roles.lhs_contracting.size() == roles.rhs_contracting.size(),
      "dot pairs different numbers of dimensions");
  const auto check = [](const Shape& shape, std::vector<int> dimensions, const std::vector<int>& more) {
    dimensions.insert(dimensions.end(), more.begin(), more.end());
    require(distinct_dimensions(dimensions, shape.rank()), "bad dot dimension numbers");
  };
  check(lhs, roles.lhs_batch, roles.lhs_contracting);
  check(rhs, roles.rhs_batch, roles.rhs_contracting);
  Shape shape = make_shape(instruction.shape.element_type, {});
  for (std::size_t i = 0; i < roles.lhs_batch.size(); ++i) {
    require(lhs.dimensions[roles.lhs_batch[i]] == rhs.dimensions[roles.rhs_batch[i]], "dot batch sizes differ");
    shape.dimensions.push_back(lhs.dimensions[roles.lhs_batch[i]]);
  }
  for (std::size_t i = 0; i < roles.lhs_contracting.size(); ++i) {
    require(lhs.dimensions[roles.lhs_contracting[i]] == rhs.dimensions[roles.rhs_contracting[i]],
            "dot contracting sizes differ");
  }
  for (std::int64_t size : free_sizes(lhs, roles.lhs_batch, roles.lhs_contracting)) shape.dimensions.push_back(size);
  for (std::int64_t size : free_sizes(rhs, roles.rhs_batch, roles.rhs_contracting)) shape.dimensions.push_back(size);
  return shape;
}

Shape infer_reduce(const Instruction& instruction, Operands operands, Computations computations) {
  require_count(operands, 2);
  const ElementType type = operands[0]->element_type;
  require_compatible(*operands[1], make_shape(type, {}));
  require_scalar_function(called(instruction, 0, computations), type, type);
  require(distinct_dimensions(instruction.dimensions, operands[0]->rank()), "bad reduce dimensions");
  Shape shape = make_shape(type, {});
  for (int i = 0; i < operands[0]->rank(); ++i) {
    if (std::ranges::count(instruction.dimensions, i) == 0) shape.dimensions.push_back(operands[0]->dimensions[i]);
  }
  return shape;
}

Shape windowed(const Instruction& instruction, const Shape& operand) {
  require(int(instruction.window.size()) == operand.rank(), "window has another rank");
  Shape shape = make_shape(operand.element_type, operand.dimensions);
  for (int i = 0; i < shape.rank(); ++i) {
    require_window(instruction.window[i]);
    shape.dimensions[i] = window_output_size(operand.dimensions[i], instruction.window[i]);
  }
  return shape;
}

Shape infer_reduce_window(const Instruction& instruction, Operands operands, Computations computations) {
  require_count(operands, 2);
  const ElementType type = operands[0]->element_type;
  require_compatible(*operands[1], make_shape(type, {}));
  require_scalar_function(called(instruction, 0, computations), type, type);
  return windowed(instruction, *operands[0]);
}

Shape infer_select_and_scatter(const Instruction& instruction, Operands operands, Computations computations) {
  require_count(operands, 3);
  const ElementType type = operands[0]->element_type;
  require_compatible(*operands[2], make_shape(type, {}));
  require_scalar_function(called(instruction, 0, computations), type, ElementType::pred);
  require_scalar_function(called(instruction, 1, computations), type, type);
  for (const WindowDimension& window : instruction.window) {
    require(window.base_dilation == 1 && window.window_dilation == 1, "select-and-scatter has no dilation");
  }
  require_compatible(windowed(instruction, *operands[0]), *operands[1]);
  return *operands[0];
}

Shape infer_all_reduce(const Instruction& instruction, Operands operands, Computations computations) {
  require(!operands.empty(), "all-reduce without operands");
  require_scalar_function(called(instruction, 0, computations), operands[0]->element_type, operands[0]->element_type);
  if (operands.size() == 1) return *operands[0];
  std::vector<Shape> shapes;
  for (const Shape* operand : operands) shapes.push_back(*operand);
  return make_tuple_shape(std::move(shapes));
}

Shape infer_tuple(Operands operands) {
  std::vector<Shape> shapes;
  for (const Shape* operand : operands) shapes.push_back(*operand);
  return make_tuple_shape(std::move(shapes));
}

Shape infer_get_tuple_element(const Instruction& instruction, Operands operands) {
  require_count(operands, 1);
  require(operands[0]->is_tuple() && instruction.index >= 0 &&
              instruction.index < std::int64_t(operands[0]->tuple_shapes.size()),
          "no such tuple element");
  return operands[0]->tuple_shapes[instruction.index];
}

Shape infer_fusion(const Instruction& instruction, Operands operands, Computations computations) {
  const Computation& body = called(instruction, 0, computations);
  require_count(operands, body.parameters.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    require_compatible(*operands[i], body[body.parameters[i]].shape);
  }
  return body[body.root].shape;
}

Shape infer_iota(const Instruction& instruction, Operands operands) {
  require_count(operands, 0);
  require(instruction.index >= 0 && instruction.index < instruction.shape.rank(), "iota dimension out of range");
  return instruction.shape;
}

}  // namespace

std::int64_t window_output_size(std::int64_t input, const WindowDimension& window) {
  const std::int64_t dilated = input == 0 ? 0 : (input - 1) * window.base_dilation + 1;
  const std::int64_t padded = dilated + window.padding_low + window.padding_high;
  const std::int64_t extent = (window.size - 1) * window.window_dilation + 1;
  return padded < extent ? 0 : (padded - extent) / window.stride + 1;
}

Shape infer_shape(const Instruction& instruction, Operands operands, Computations computations) {
  if (is_elementwise(instruction.opcode)) return infer_elementwise(instruction, operands);
  switch (instruction.opcode) {
    case Opcode::parameter:
    case Opcode::constant:
    case Opcode::infeed:
    case Opcode::outfeed:
      return instruction.shape;
    case Opcode::iota:
      return infer_iota(instruction, operands);
    case Opcode::tuple:
      return infer_tuple(operands);
    case Opcode::get_tuple_element:
      return infer_get_tuple_element(instruction, operands);
    case Opcode::pad:
      return infer_pad(instruction, operands);
    case Opcode::concatenate:
      return infer_concatenate(instruction, operands);
    case Opcode::convolution:
      return infer_convolution(instruction, operands);
    case Opcode::dot:
      return infer_dot(instruction, operands);
    case Opcode::reduce:
      return infer_reduce(instruction, operands, computations);
    case Opcode::reduce_window:
      return infer_reduce_window(instruction, operands, computations);
    case Opcode::select_and_scatter:
      return infer_select_and_scatter(instruction, operands, computations);
    case Opcode::all_reduce:
      return infer_all_reduce(instruction, operands, computations);
    case Opcode::fusion:
      return infer_fusion(instruction, operands, computations);
    default:
      break;
  }
  require_count(operands, 1);
  switch (instruction.opcode) {
    case Opcode::broadcast:
      return infer_broadcast(instruction, *operands[0]);
    case Opcode::reshape:
      return infer_reshape(instruction, *operands[0]);
    case Opcode::transpose:
      return infer_transpose(instruction, *operands[0]);
    case Opcode::slice:
      return infer_slice(instruction, *operands[0]);
    default:
      require(instruction.opcode == Opcode::reverse, "has no shape rule");
      require(distinct_dimensions(instruction.dimensions, operands[0]->rank()), "bad reverse dimensions");
      return *operands[0];
  }
}

}  // namespace podsim::sw
