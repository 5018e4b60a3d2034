// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/builder/kernel_builder.h"

/// Arithmetic on scalar operands, without code if they are literals.
namespace podsim::sw::codegen::fusion {

registers::ScalarOperand sum(builder::KernelBuilder& builder, registers::ScalarOperand x, registers::ScalarOperand y);
/// x / 2^bits and the remainder, for x of 0 or more.
registers::ScalarOperand shifted_right(builder::KernelBuilder& builder, registers::ScalarOperand x, int bits);
registers::ScalarOperand low_bits(builder::KernelBuilder& builder, registers::ScalarOperand x, int bits);

}  // namespace podsim::sw::codegen::fusion
