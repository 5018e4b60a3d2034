// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Sum, maximum, minimum or mean of a matrix over its rows or its columns, to a vector of f32.
KernelFamily reduction_family();

}  // namespace podsim::sw
