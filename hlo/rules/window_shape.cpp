// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/window_shape.h"

namespace podsim::hlo::rules {

namespace {

constexpr std::int64_t most = std::int64_t(1) << 31;
/// The multiply-accumulates of a convolution are counted residue by residue of the base dilation.
constexpr std::int64_t max_base_dilation = std::int64_t(1) << 20;

}  // namespace

std::int64_t window_output_size(std::int64_t input, const WindowDimension& window) {
  const std::int64_t dilated = input == 0 ? 0 : (input - 1) * window.base_dilation + 1;
  const std::int64_t padded = dilated + window.padding_low + window.padding_high;
  const std::int64_t extent = (window.size - 1) * window.window_dilation + 1;
  return padded < extent ? 0 : (padded - extent) / window.stride + 1;
}

void require_window(const WindowDimension& window) {
  require(window.size > 0 && window.stride > 0 && window.base_dilation > 0 && window.window_dilation > 0,
          "window size, stride and dilations must be positive");
  require(window.size < most && window.stride < most && window.base_dilation < most && window.window_dilation < most &&
              -most < window.padding_low && window.padding_low < most && -most < window.padding_high &&
              window.padding_high < most,
          "a window beyond memory");
  require(window.base_dilation <= max_base_dilation, "a base dilation above 2^20");
}

std::vector<std::int64_t> windowed_dimensions(const Instruction& instruction, const Shape& operand) {
  require_array(operand);
  require(int(instruction.window.size()) == operand.rank(), "window has another rank");
  std::vector<std::int64_t> dimensions = operand.dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    require_window(instruction.window[i]);
    require(dimensions[i] < most, "a window over a dimension beyond memory");
    dimensions[i] = window_output_size(dimensions[i], instruction.window[i]);
  }
  return dimensions;
}

}  // namespace podsim::hlo::rules
