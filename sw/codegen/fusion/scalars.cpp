// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/scalars.h"

#include <utility>

namespace podsim::sw::codegen::fusion {

using Isa = hw::isa::Opcode;

registers::ScalarOperand sum(builder::KernelBuilder& builder, registers::ScalarOperand x, registers::ScalarOperand y) {
  if (x.literal && y.literal) return x.value + y.value;
  if (x.literal) std::swap(x, y);
  if (y.literal && y.value == 0) return x;
  return builder.op(Isa::s_add, registers::ScalarReg{x.value}, y);
}

registers::ScalarOperand shifted_right(builder::KernelBuilder& builder, registers::ScalarOperand x, int bits) {
  if (x.literal) return x.value >> bits;
  return builder.op(Isa::s_shr, registers::ScalarReg{x.value}, bits);
}

registers::ScalarOperand low_bits(builder::KernelBuilder& builder, registers::ScalarOperand x, int bits) {
  const std::int32_t mask = (1 << bits) - 1;
  if (x.literal) return x.value & mask;
  return builder.op(Isa::s_and, registers::ScalarReg{x.value}, mask);
}

}  // namespace podsim::sw::codegen::fusion
