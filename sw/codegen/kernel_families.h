// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen {

/// Returns all kernel families: matmul, conv2d, elementwise, reduce, softmax, layernorm, transpose, copy.
std::span<const families::KernelFamily> kernel_families();

}  // namespace podsim::sw::codegen
