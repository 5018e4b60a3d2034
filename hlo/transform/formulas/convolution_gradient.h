// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::transform::formulas {

/// Returns the window that carries a result's gradient back to the `input` elements that the window moved along. Stride
/// and base dilation are swapped, and the padding is the remainder of the window's extent. The kernel is read in
/// reverse. With y[o] = sum_k x[(o s + k d - p) / b]:  dx[i] = sum_k dy[(i b - k d + p) / s].
WindowDimension transposed_window(const WindowDimension& window, std::int64_t input);

/// Appends d loss / d input of the convolution `forward`, given the gradient of its result: a convolution of the
/// gradient with as many feature groups as `forward` has groups. Each group's part of the kernel is transposed. With
/// batch groups the result has one group's samples as batch and all groups' features, which are moved to the batch.
/// `forward` is a copy: the builder moves its instructions when it grows.
InstructionId convolution_input_gradient(build::GraphBuilder& builder, const Instruction& forward,
                                         InstructionId gradient);

/// Appends d loss / d kernel. The batch is contracted: the input features become the batch, and the gradient the
/// kernel. The kernel gradient of feature groups is a convolution of batch groups, and vice versa.
InstructionId convolution_kernel_gradient(build::GraphBuilder& builder, const Instruction& forward,
                                          InstructionId gradient);

}  // namespace podsim::hlo::transform::formulas
