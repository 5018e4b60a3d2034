// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Layer normalisation over the columns of a matrix, (x - mean) / sqrt(variance + 1e-5) gamma + beta: in four passes
/// over HBM, as an unfused graph compiles, in three without the centred matrix in between, or in one with rows held in
/// VMEM.
KernelFamily layer_norm_family();

}  // namespace podsim::sw
