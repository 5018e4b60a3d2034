// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/codegen/builder/kernel_builder.h"

namespace podsim::sw::codegen::families::attention {

/// A block of values in VMEM, in tiles of 8 tokens x 128 lanes; `keys` is a multiple of 16.
struct ValueBlock {
  int buffer = 0;
  registers::ScalarReg base;
  bool packed = false;
  std::int32_t keys = 0;
};

/// Writes zeros over the values from number `visible` on. A hidden key has weight 0, but what VMEM has there may be a
/// NaN, and 0 * NaN is NaN. Does nothing to a block that is visible as a whole.
void clear_hidden_values(builder::KernelBuilder& builder, const ValueBlock& values, registers::ScalarReg visible);

}  // namespace podsim::sw::codegen::families::attention
