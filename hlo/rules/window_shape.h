// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/rules/shape_rules.h"

/// Shape rules of windows that slide over an array.
namespace podsim::hlo::rules {

/// Output length of one window dimension over `input` elements, after dilation and padding; 0 if the window does not
/// fit.
std::int64_t window_output_size(std::int64_t input, const WindowDimension& window);

/// Requires that size, stride and dilations are at least 1 and that all values are small enough for an array in memory.
void require_window(const WindowDimension& window);

/// Output dimensions of a window, given in every dimension, that slides over `operand`.
std::vector<std::int64_t> windowed_dimensions(const Instruction& instruction, const Shape& operand);

}  // namespace podsim::hlo::rules
