// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/graph.h"

/// The shape rules of HLO.
namespace podsim::sw {

/// Output length of one window dimension over `input` elements, after dilation and padding; 0 when the window does not
/// fit.
std::int64_t window_output_size(std::int64_t input, const WindowDimension& window);

/// The shape that follows from the operands and attributes of an instruction. Where HLO leaves the result (or a part of
/// it) to the writer (parameter, constant, iota, infeed, broadcast, reshape, convert, and the element type of a
/// convolution or dot), that is taken from instruction.shape after checking it. `computations` are those it may call.
/// Throws std::logic_error with the broken rule.
Shape infer_shape(const Instruction& instruction, std::span<const Shape* const> operands,
                  std::span<const Computation> computations);

}  // namespace podsim::sw
