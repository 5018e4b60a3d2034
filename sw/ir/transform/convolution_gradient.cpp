// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/transform/convolution_gradient.h"

#include "sw/ir/rules/shape_inference.h"

namespace podsim::sw::ir::transform {

namespace {

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
  const std::int64_t dilated = (input - 1) * window.base_dilation + 1;
  result.padding_high =
      (window.size - 1) * window.window_dilation + (output - 1) * window.stride + 1 - dilated - window.padding_low;
  return result;
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
  const std::int64_t dilated = (output - 1) * window.stride + 1;
  result.padding_high = (input - 1) * window.base_dilation + 1 + reach - dilated - result.padding_low;
  return result;
}

InstructionId convolution_input_gradient(build::GraphBuilder& builder, const Instruction& forward,
                                         InstructionId gradient) {
  const Shape input = builder.shape(forward.operands[0]);
  const ConvolutionDimensions& roles = forward.convolution;
  std::vector<WindowDimension> window;
  for (std::size_t i = 0; i < forward.window.size(); ++i) {
    window.push_back(transposed_window(forward.window[i], input.dimensions[roles.input_spatial[i]]));
  }
  ConvolutionDimensions result;
  result.input_batch = roles.output_batch;
  result.input_feature = roles.output_feature;
  result.input_spatial = roles.output_spatial;
  result.kernel_input_feature = roles.kernel_output_feature;
  result.kernel_output_feature = roles.kernel_input_feature;
  result.kernel_spatial = roles.kernel_spatial;
  result.output_batch = roles.input_batch;
  result.output_feature = roles.input_feature;
  result.output_spatial = roles.input_spatial;
  return builder.convolution(gradient, forward.operands[1], std::move(window), std::move(result));
}

InstructionId convolution_kernel_gradient(build::GraphBuilder& builder, const Instruction& forward,
                                          InstructionId gradient) {
  const Shape input = builder.shape(forward.operands[0]);
  const ConvolutionDimensions& roles = forward.convolution;
  std::vector<WindowDimension> window;
  std::vector<std::int64_t> reversed;
  for (std::size_t i = 0; i < forward.window.size(); ++i) {
    window.push_back(kernel_gradient_window(forward.window[i], input.dimensions[roles.input_spatial[i]]));
    if (forward.window[i].window_reversal) reversed.push_back(roles.kernel_spatial[i]);
  }
  ConvolutionDimensions result;
  result.input_batch = roles.input_feature;
  result.input_feature = roles.input_batch;
  result.input_spatial = roles.input_spatial;
  result.kernel_input_feature = roles.output_batch;
  result.kernel_output_feature = roles.output_feature;
  result.kernel_spatial = roles.output_spatial;
  result.output_batch = roles.kernel_input_feature;
  result.output_feature = roles.kernel_output_feature;
  result.output_spatial = roles.kernel_spatial;
  const InstructionId kernel = builder.convolution(forward.operands[0], gradient, std::move(window), std::move(result));
  return reversed.empty() ? kernel : builder.reverse(kernel, std::move(reversed));
}

}  // namespace podsim::sw::ir::transform
