// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/formulas/convolution_gradient.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <numeric>

#include "hlo/rules/shape_inference.h"

namespace podsim::hlo::transform::formulas {

namespace {

using Sizes = std::vector<std::int64_t>;

std::int64_t dilated_size(std::int64_t size, std::int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

/// The window over the input with the result's gradient as kernel and one output per kernel element:
/// dw[k] = sum_o x[(k d + o s - p) / b] dy[o]. The high padding makes the output as long as the kernel; it is negative
/// where the forward stride never reached the end of the input.
WindowDimension kernel_gradient_window(const WindowDimension& window, std::int64_t input) {
  const std::int64_t output = rules::window_output_size(input, window);
  WindowDimension result;
  result.size = output;
  result.stride = window.window_dilation;
  result.window_dilation = window.stride;
  result.base_dilation = window.base_dilation;
  result.padding_low = window.padding_low;
  result.padding_high = (window.size - 1) * window.window_dilation + (output - 1) * window.stride + 1 -
                        dilated_size(input, window.base_dilation) - window.padding_low;
  return result;
}

/// Result dimension i is x's dimension order[i]. A reordering that only moves dimensions of size 1 is a reshape.
InstructionId reordered(build::GraphBuilder& b, InstructionId x, const Sizes& order) {
  Sizes sizes, long_ones;
  for (const std::int64_t dimension : order) {
    sizes.push_back(b.shape(x).dimensions[std::size_t(dimension)]);
    if (sizes.back() != 1) long_ones.push_back(dimension);
  }
  return std::ranges::is_sorted(long_ones) ? b.reshape(x, std::move(sizes)) : b.transpose(x, order);
}

/// Moves `groups`, the outer part of dimension `from`, to the outside of dimension `to`: the size of `from` is divided
/// by it and that of `to` multiplied.
InstructionId with_groups_moved(build::GraphBuilder& b, InstructionId x, int from, int to, std::int64_t groups) {
  assert(from != to);
  Sizes split = b.shape(x).dimensions, merged = split;
  const auto at = std::ptrdiff_t(from);
  split[std::size_t(from)] /= groups;
  split.insert(split.begin() + at, groups);  // the groups' dimension is now `from`, and later ones are one further
  Sizes order(split.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  order.erase(order.begin() + at);
  order.insert(std::ranges::find(order, std::int64_t(to > from ? to + 1 : to)), std::int64_t(from));
  merged[std::size_t(from)] /= groups;
  merged[std::size_t(to)] *= groups;
  return b.reshape(reordered(b, b.reshape(x, std::move(split)), order), std::move(merged));
}

/// The kernel's type unless it is a whole number, which has no gradient.
ElementType product_type(const build::GraphBuilder& b, InstructionId operand, InstructionId gradient) {
  const ElementType type = b.type(operand);
  return is_floating_point(type) || is_complex(type) ? type : b.type(gradient);
}

}  // namespace

WindowDimension transposed_window(const WindowDimension& window, std::int64_t input) {
  const std::int64_t output = rules::window_output_size(input, window);
  const std::int64_t reach = (window.size - 1) * window.window_dilation;
  WindowDimension result;
  result.size = window.size;
  result.stride = window.base_dilation;
  result.base_dilation = window.stride;
  result.window_dilation = window.window_dilation;
  result.window_reversal = !window.window_reversal;
  result.padding_low = reach - window.padding_low;
  result.padding_high =
      dilated_size(input, window.base_dilation) + reach - dilated_size(output, window.stride) - result.padding_low;
  return result;
}

InstructionId convolution_input_gradient(build::GraphBuilder& builder, const Instruction& forward,
                                         InstructionId gradient) {
  const Shape input = builder.shape(forward.operands[0]);
  if (forward.shape.element_count() == 0) return builder.full_like(forward.operands[0], 0);
  const ConvolutionDimensions& roles = forward.convolution;
  const std::int64_t groups = forward.feature_groups * forward.batch_groups;
  Instruction result;
  result.opcode = Opcode::convolution;
  result.shape.element_type = builder.type(gradient);
  for (std::size_t i = 0; i < forward.window.size(); ++i) {
    result.window.push_back(
        transposed_window(forward.window[i], input.dimensions[std::size_t(roles.input_spatial[i])]));
  }
  ConvolutionDimensions& turned = result.convolution.edit();
  turned.input_batch = roles.output_batch;
  turned.input_feature = roles.output_feature;
  turned.input_spatial = roles.output_spatial;
  turned.kernel_input_feature = roles.kernel_output_feature;
  turned.kernel_output_feature = roles.kernel_input_feature;
  turned.kernel_spatial = roles.kernel_spatial;
  turned.output_batch = roles.input_batch;
  turned.output_feature = roles.input_feature;
  turned.output_spatial = roles.input_spatial;
  result.feature_groups = groups;
  InstructionId kernel = forward.operands[1];
  if (groups > 1) {
    kernel = with_groups_moved(builder, kernel, roles.kernel_output_feature, roles.kernel_input_feature, groups);
  }
  result.operands = {gradient, kernel};
  const InstructionId made = builder.add(std::move(result));
  if (forward.batch_groups == 1) return made;
  return with_groups_moved(builder, made, roles.input_feature, roles.input_batch, groups);
}

InstructionId convolution_kernel_gradient(build::GraphBuilder& builder, const Instruction& forward,
                                          InstructionId gradient) {
  const Shape input = builder.shape(forward.operands[0]);
  if (forward.shape.element_count() == 0) return builder.full_like(forward.operands[1], 0);
  const ConvolutionDimensions& roles = forward.convolution;
  std::vector<std::int64_t> reversed;
  Instruction result;
  result.opcode = Opcode::convolution;
  result.shape.element_type = product_type(builder, forward.operands[0], gradient);
  for (std::size_t i = 0; i < forward.window.size(); ++i) {
    result.window.push_back(
        kernel_gradient_window(forward.window[i], input.dimensions[std::size_t(roles.input_spatial[i])]));
    if (forward.window[i].window_reversal) reversed.push_back(roles.kernel_spatial[i]);
  }
  ConvolutionDimensions& turned = result.convolution.edit();
  turned.input_batch = roles.input_feature;
  turned.input_feature = roles.input_batch;
  turned.input_spatial = roles.input_spatial;
  turned.kernel_input_feature = roles.output_batch;
  turned.kernel_output_feature = roles.output_feature;
  turned.kernel_spatial = roles.output_spatial;
  turned.output_batch = roles.kernel_input_feature;
  turned.output_feature = roles.kernel_output_feature;
  turned.output_spatial = roles.kernel_spatial;
  // The features of a group become the batch, and the samples of a batch group the features that are contracted.
  result.batch_groups = forward.feature_groups;
  result.feature_groups = forward.batch_groups;
  result.operands = {forward.operands[0], gradient};
  const InstructionId kernel = builder.add(std::move(result));
  return reversed.empty() ? kernel : builder.reverse(kernel, std::move(reversed));
}

}  // namespace podsim::hlo::transform::formulas
