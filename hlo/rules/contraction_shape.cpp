// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/contraction_shape.h"

#include <algorithm>
#include <array>

#include "hlo/rules/window_shape.h"

namespace podsim::hlo::rules {

namespace {

bool covers(std::vector<int> spatial, int batch, int feature, int rank) {
  spatial.push_back(batch);
  spatial.push_back(feature);
  return int(spatial.size()) == rank && distinct_dimensions(spatial, rank);
}

std::vector<std::int64_t> free_sizes(const Shape& shape, const std::vector<int>& batch, const std::vector<int>& inner) {
  std::vector<std::int64_t> sizes;
  for (int i = 0; i < shape.rank(); ++i) {
    if (std::ranges::count(batch, i) + std::ranges::count(inner, i) == 0) sizes.push_back(shape.dimensions[i]);
  }
  return sizes;
}

}  // namespace

Shape infer_convolution(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 2);
  const Shape& input = *operands[0];
  const Shape& kernel = *operands[1];
  const ConvolutionDimensions& roles = instruction.convolution;
  require_array(input);
  require_array(kernel);
  require_array(instruction.shape);
  const int rank = input.rank();
  const int spatial = int(instruction.window.size());
  require(spatial == rank - 2 && kernel.rank() == rank, "window and operand ranks differ");
  require(covers(roles.input_spatial, roles.input_batch, roles.input_feature, rank), "bad input dimension numbers");
  require(covers(roles.kernel_spatial, roles.kernel_input_feature, roles.kernel_output_feature, rank),
          "bad kernel dimension numbers");
  require(covers(roles.output_spatial, roles.output_batch, roles.output_feature, rank), "bad output dimension numbers");
  const std::int64_t batches = instruction.batch_groups, groups = instruction.feature_groups;
  const std::int64_t batch = input.dimensions[roles.input_batch];
  const std::int64_t features = kernel.dimensions[roles.kernel_output_feature];
  require(groups > 0 && batches > 0 && (groups == 1 || batches == 1), "feature or batch groups, at least 1");
  require(input.dimensions[roles.input_feature] % groups == 0 &&
              input.dimensions[roles.input_feature] / groups == kernel.dimensions[roles.kernel_input_feature],
          "input and kernel features differ");
  require(batch % batches == 0 && features % batches == 0 && features % groups == 0, "groups of unequal sizes");
  Shape shape = make_shape(instruction.shape.element_type, std::vector<std::int64_t>(rank));
  shape.dimensions[roles.output_batch] = batch / batches;
  shape.dimensions[roles.output_feature] = features;
  for (int i = 0; i < spatial; ++i) {
    require_window(instruction.window[i]);
    require(input.dimensions[roles.input_spatial[i]] < (std::int64_t(1) << 31), "a dimension beyond memory");
    require(instruction.window[i].size == kernel.dimensions[roles.kernel_spatial[i]], "window and kernel sizes differ");
    shape.dimensions[roles.output_spatial[i]] =
        window_output_size(input.dimensions[roles.input_spatial[i]], instruction.window[i]);
  }
  return shape;
}

Shape infer_dot(const Instruction& instruction, OperandShapes operands) {
  require_at_least(operands, 2);
  require_array(*operands[0]);
  require_array(*operands[1]);
  require_array(instruction.shape);
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

Shape infer_ragged_dot(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 3);
  for (const Shape* operand : operands) require_array(*operand);
  const DotDimensions& roles = instruction.dot;
  const std::vector<std::int64_t>& numbers = instruction.dimensions;
  require(!numbers.empty() && numbers[0] < operands[0]->rank(), "needs a ragged dimension of the left operand");
  require(operands[2]->rank() > 0 && is_integer(operands[2]->element_type), "counts its groups in integers");
  const std::int64_t groups = operands[2]->dimensions.back();
  const auto is_ragged = [&](int dimension) { return dimension == numbers[0]; };
  const bool is_batch = std::ranges::any_of(roles.lhs_batch, is_ragged);
  const bool is_contracted = std::ranges::any_of(roles.lhs_contracting, is_ragged);
  require((numbers.size() == 2) == (!is_batch && !is_contracted),
          "has a dimension of groups if its ragged dimension is free, and none otherwise");
  Instruction product = instruction;
  Shape rhs = *operands[1];
  if (numbers.size() == 2) {
    require(numbers[1] < rhs.rank() && rhs.dimensions[numbers[1]] == groups, "groups and their number differ");
    product = without_groups(instruction);
    rhs.dimensions.erase(rhs.dimensions.begin() + numbers[1]);
  }
  Shape shape = infer_dot(product, std::array<const Shape*, 2>{operands[0], &rhs});
  if (is_contracted) shape.dimensions.insert(shape.dimensions.begin(), groups);
  return shape;
}

Instruction without_groups(const Instruction& ragged_dot) {
  Instruction product = ragged_dot;
  const auto group = int(ragged_dot.dimensions[1]);
  for (std::vector<int>* list : {&product.dot.edit().rhs_batch, &product.dot.edit().rhs_contracting}) {
    require(std::ranges::count(*list, group) == 0, "the dimension of groups has another role");
    for (int& dimension : *list) dimension -= dimension > group ? 1 : 0;
  }
  return product;
}

}  // namespace podsim::hlo::rules
