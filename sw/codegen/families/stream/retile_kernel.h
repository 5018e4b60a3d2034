// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::stream {

/// Sets program and tile_op: copies an f32 matrix of `rows` x `columns` between a vector of its consecutive rows and
/// tiles of 8 x 128. Either inputs[0] or outputs[0] is the vector. Strided DMAs gather and scatter panels of 128
/// columns, which have the same layout in VMEM for both.
void build_retile(const TargetMachine& machine, Kernel& kernel, std::int64_t rows, std::int64_t columns);

}  // namespace podsim::sw::codegen::families::stream
