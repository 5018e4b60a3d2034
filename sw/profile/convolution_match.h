// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/ir/graph.h"

namespace podsim::sw::profile {

/// Returns all convolutions of `input` and `kernel` that give `result`: forward, as gradient of the input (a dilated
/// input) or as gradient of the kernel (the window is an image), with "same" or "valid" padding and a stride that
/// follows from the sizes. Dimensions may be in any usual order: NHWC, NCHW, HWNC, HWCN, CHWN for images; HWIO, HWOI,
/// OIHW, IOHW for kernels.
std::vector<ir::Instruction> matching_convolutions(const ir::Shape& result, const ir::Shape& input,
                                                   const ir::Shape& kernel);

}  // namespace podsim::sw::profile
