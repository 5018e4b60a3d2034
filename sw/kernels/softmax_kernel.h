// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Softmax over the columns of a matrix, exp(x - max) / sum of the same over the row: in three passes over HBM, as an
/// unfused graph compiles, or in one with rows held in VMEM.
KernelFamily softmax_family();

}  // namespace podsim::sw
