// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::rows {

/// Layer normalisation over the columns of a matrix, (x - mean) / sqrt(variance + 1e-5) gamma + beta: in four passes
/// over HBM, like an unfused graph; in three, without the intermediate centred matrix; or in one, with rows held in
/// VMEM.
KernelFamily layer_norm_family();

}  // namespace podsim::sw::codegen::families::rows
