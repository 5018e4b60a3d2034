// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/batched_product.h"

#include <algorithm>
#include <vector>

#include "base/units.h"

namespace podsim::sw::compiler::tiles {
namespace {

std::int64_t product(const hlo::Shape& shape, const std::vector<int>& dimensions) {
  std::int64_t result = 1;
  for (int d : dimensions) result *= shape.dimensions[std::size_t(d)];
  return result;
}

/// Number of elements over the dimensions of an operand that are also in the result.
std::int64_t free_elements(const hlo::Shape& operand, const std::vector<int>& batch,
                           const std::vector<int>& contracting) {
  std::int64_t elements = 1;
  for (int d = 0; d < operand.rank(); ++d) {
    const bool is_free =
        std::ranges::find(batch, d) == batch.end() && std::ranges::find(contracting, d) == contracting.end();
    if (is_free) elements *= operand.dimensions[std::size_t(d)];
  }
  return elements;
}

/// Beyond every batch that a core holds; the taps of a window are looked at one by one.
constexpr std::int64_t max_batch = std::int64_t(1) << 20;

/// True if each of as many windows as positions and taps meets one element, and no two the same element or tap. With
/// holes of as many positions as the window is long, in the input or in the window, none meets more.
bool pairs_all(const hlo::WindowDimension& window, std::int64_t input, std::int64_t output) {
  const std::int64_t size = window.size;
  const std::int64_t holes = std::max(window.base_dilation, window.window_dilation);
  if (size < 2 || size > max_batch || input != size || output != size || holes < size) return false;
  if (std::min(window.base_dilation, window.window_dilation) != 1) return false;
  const bool dilated_input = window.base_dilation == holes;
  std::vector<bool> element_met(std::size_t(size), false), tap_met(std::size_t(size), false);
  for (std::int64_t position = 0; position < size; ++position) {
    const std::int64_t begin = position * window.stride - window.padding_low;
    // The first multiple of the holes at or after the beginning of the window, or after that of the input.
    const std::int64_t steps = base::divide_round_up(std::max<std::int64_t>(0, dilated_input ? begin : -begin), holes);
    const std::int64_t element = dilated_input ? steps : begin + steps * holes;
    const std::int64_t tap = dilated_input ? steps * holes - begin : steps;
    if (element < 0 || element >= size || tap < 0 || tap >= size) return false;
    if (element_met[std::size_t(element)] || tap_met[std::size_t(tap)]) return false;
    element_met[std::size_t(element)] = tap_met[std::size_t(tap)] = true;
  }
  return true;
}

bool is_undilated(const hlo::WindowDimension& window) {
  return window.stride == 1 && window.padding_low == 0 && window.padding_high == 0 && window.base_dilation == 1 &&
         window.window_dilation == 1;
}

}  // namespace

BatchedProduct product_of(const hlo::Instruction& dot, const hlo::Shape& lhs, const hlo::Shape& rhs) {
  const hlo::DotDimensions& roles = dot.dot;
  // The dimensions of the output are batch, lhs free, rhs free, in this order.
  const int first_rhs = dot.shape.rank() - (rhs.rank() - int(roles.rhs_batch.size() + roles.rhs_contracting.size()));
  BatchedProduct found{.batch = product(lhs, roles.lhs_batch),
                       .lhs_free = free_elements(lhs, roles.lhs_batch, roles.lhs_contracting),
                       .rhs_free = free_elements(rhs, roles.rhs_batch, roles.rhs_contracting),
                       .contracted = product(lhs, roles.lhs_contracting)};
  if (dot.shape.rank() == 0) return found;
  const int lanes = dot.shape.minor_dimension(0);
  const bool is_batch = lanes < int(roles.lhs_batch.size());
  found.rhs_in_lanes = is_batch ? found.rhs_free >= found.lhs_free : lanes >= first_rhs;
  return found;
}

ProductRoles roles_of(const hlo::Instruction& product, const hlo::Shape& lhs, const hlo::Shape& rhs) {
  ProductRoles roles;
  if (product.opcode == hlo::Opcode::dot) {
    roles.dimensions = product.dot;
    // The dimensions of the output are batch, lhs free, rhs free, in this order.
    const int batches = int(roles.dimensions.lhs_batch.size());
    const int first_rhs = product.shape.rank() - (rhs.rank() - batches - int(roles.dimensions.rhs_contracting.size()));
    for (int d = batches; d < first_rhs; ++d) roles.lhs_free.push_back(d);
    for (int d = first_rhs; d < product.shape.rank(); ++d) roles.rhs_free.push_back(d);
    return roles;
  }
  const hlo::ConvolutionDimensions& dims = product.convolution;
  roles.dimensions.lhs_contracting = {int(dims.input_feature)};
  roles.dimensions.rhs_contracting = {int(dims.kernel_input_feature)};
  roles.lhs_free = {int(dims.output_batch)};
  roles.rhs_free = {int(dims.output_feature)};
  for (std::size_t i = 0; i < product.window.size(); ++i) {
    const std::int64_t in = lhs.dimensions[std::size_t(dims.input_spatial[i])],
                       out = product.shape.dimensions[std::size_t(dims.output_spatial[i])];
    if (pairs_all(product.window[i], in, out)) {
      roles.dimensions.lhs_batch.push_back(int(dims.input_spatial[i]));
      roles.dimensions.rhs_batch.push_back(int(dims.kernel_spatial[i]));
    } else if (product.window[i].size > 1) {
      roles.dimensions.lhs_contracting.push_back(int(dims.input_spatial[i]));
      roles.dimensions.rhs_contracting.push_back(int(dims.kernel_spatial[i]));
    } else {
      roles.lhs_free.push_back(int(dims.output_spatial[i]));
    }
  }
  return roles;
}

std::optional<BatchedProduct> as_batched_product(const hlo::Instruction& convolution, const hlo::Shape& input) {
  if (convolution.opcode != hlo::Opcode::convolution || convolution.feature_groups * convolution.batch_groups != 1)
    return std::nullopt;
  const hlo::ConvolutionDimensions& roles = convolution.convolution;
  const hlo::Shape& result = convolution.shape;
  BatchedProduct product{.batch = 1,
                         .lhs_free = input.dimensions[std::size_t(roles.input_batch)],
                         .rhs_free = result.dimensions[std::size_t(roles.output_feature)],
                         .contracted = input.dimensions[std::size_t(roles.input_feature)],
                         .rhs_in_lanes = result.minor_dimension(0) == roles.output_feature};
  for (std::size_t i = 0; i < convolution.window.size(); ++i) {
    const hlo::WindowDimension& window = convolution.window[i];
    const std::int64_t in = input.dimensions[std::size_t(roles.input_spatial[i])],
                       out = result.dimensions[std::size_t(roles.output_spatial[i])];
    if (pairs_all(window, in, out)) {
      product.batch *= in;
    } else if (is_undilated(window) && window.size == 1) {
      product.lhs_free *= in;
    } else if (is_undilated(window) && window.size == in) {
      product.contracted *= in;
    } else {
      return std::nullopt;
    }
  }
  if (product.batch == 1) return std::nullopt;
  return product;
}

}  // namespace podsim::sw::compiler::tiles
