// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/graph.h"

namespace podsim::validation::profile {

/// Input features of a group: all, one, or several.
enum class Groups { none, of_one, of_several };

/// Returns all convolutions of `input` and `kernel` that give `result`: forward, as gradient of the input (a dilated
/// input) or as gradient of the kernel (the window is an image), with "same" or "valid" padding and a stride that
/// follows from the sizes. Dimensions may be in any usual order: NHWC, NCHW, HWNC, HWCN, CHWN for images; HWIO, HWOI,
/// OIHW, IOHW for kernels.
///
/// A convolution of groups has several taps, no more than an image has positions. Its kernel has a part of the input's
/// features and as many groups as there are parts (feature_groups), and so has a kernel gradient with such a result
/// (batch_groups).
std::vector<hlo::Instruction> matching_convolutions(const hlo::Shape& result, const hlo::Shape& input,
                                                    const hlo::Shape& kernel, Groups groups = Groups::none);

/// True for a convolution, or its kernel gradient, with one input feature a group.
bool is_depthwise(const hlo::Instruction& convolution, const hlo::Shape& input);

}  // namespace podsim::validation::profile
