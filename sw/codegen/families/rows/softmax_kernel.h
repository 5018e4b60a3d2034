// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::rows {

/// Softmax over the columns of a matrix, exp(x - max) / sum of exp(x - max) over the row: in three passes over HBM,
/// the ops of a program, or in one, with rows held in VMEM.
KernelFamily softmax_family();

}  // namespace podsim::sw::codegen::families::rows
