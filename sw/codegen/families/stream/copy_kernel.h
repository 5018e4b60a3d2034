// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::stream {

/// Copies of a matrix: unchanged, converted between f32 and bf16, with columns instead of rows as the minor dimension,
/// and between the tiled matrix and a vector of its consecutive rows.
KernelFamily copy_family();

}  // namespace podsim::sw::codegen::families::stream
