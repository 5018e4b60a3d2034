// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::stream {

/// Sets program and tile_op: writes the f32 bits of `value` to every word of outputs[0], including padding. That is the
/// value of the elements if they are f32, or if `value` is 0.
void build_constant(const TargetMachine& machine, Kernel& kernel, float value);

}  // namespace podsim::sw::codegen::families::stream
