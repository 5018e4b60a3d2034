// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// All convolutions that make `result` of `input` and `kernel`, forward, as gradient of the input (a dilated input) or
/// as gradient of the kernel (the window is an image), with "same" or "valid" padding and a stride that follows from
/// the sizes. Dimensions may stand in any of the usual orders: NHWC, NCHW, HWNC, HWCN; HWIO, HWOI, OIHW.
std::vector<Instruction> matching_convolutions(const Shape& result, const Shape& input, const Shape& kernel);

}  // namespace podsim::sw
