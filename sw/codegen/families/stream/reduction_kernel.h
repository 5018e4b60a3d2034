// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::stream {

/// Sum, maximum, minimum or mean of a matrix over its rows or its columns, to a vector of f32.
KernelFamily reduction_family();

}  // namespace podsim::sw::codegen::families::stream
