// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph_builder.h"

namespace podsim::sw {

/// The window that carries a result's gradient back over a window that moved along `input` elements: strides and base
/// dilation change places and the padding is what is left of the window's extent. The kernel is to be read reversed.
/// With y[o] = sum_k x[(o s + k d - p) / b]:  dx[i] = sum_k dy[(i b - k d + p) / s].
WindowDimension transposed_window(const WindowDimension& window, std::int64_t input);

/// d loss / d input of convolution `forward` from the gradient of its result.
InstructionId convolution_input_gradient(GraphBuilder& builder, const Instruction& forward, InstructionId gradient);

/// d loss / d kernel. The batch is contracted: input features become the batch, the gradient the kernel.
InstructionId convolution_kernel_gradient(GraphBuilder& builder, const Instruction& forward, InstructionId gradient);

}  // namespace podsim::sw
