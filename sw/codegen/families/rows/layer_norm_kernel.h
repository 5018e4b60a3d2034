// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::rows {

/// Layer normalisation over the columns of a matrix, (x - mean) / sqrt(variance + 1e-5) gamma + beta: in three passes
/// over HBM, the ops of a program; in four, with the centred matrix stored in between; or in one, with rows held in
/// VMEM.
KernelFamily layer_norm_family();

}  // namespace podsim::sw::codegen::families::rows
