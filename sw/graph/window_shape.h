// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/shape_rules.h"

/// The shape rules of windows that slide over an array.
namespace podsim::sw {

/// Output length of one window dimension over `input` elements, after dilation and padding; 0 when the window does not
/// fit.
std::int64_t window_output_size(std::int64_t input, const WindowDimension& window);

/// Size, stride and dilations are at least 1 and everything is of a size that memory could hold.
void require_window(const WindowDimension& window);

/// The dimensions of a window of every dimension slid over `operand`.
std::vector<std::int64_t> windowed_dimensions(const Instruction& instruction, const Shape& operand);

}  // namespace podsim::sw
