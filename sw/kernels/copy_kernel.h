// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Copies of a matrix: as it is, converted between f32 and bf16, from rows to columns as the minor dimension, and
/// between a vector of its rows one after the other and the tiled matrix.
KernelFamily copy_family();

}  // namespace podsim::sw
