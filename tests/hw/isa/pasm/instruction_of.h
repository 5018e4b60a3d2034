// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/isa/bundle.h"

namespace podsim::hw::isa::pasm {

inline Instruction instruction_of(Opcode opcode, int d, Value x, Value y, Value z = {}) {
  Instruction result;
  result.opcode = opcode;
  result.destination = std::uint8_t(d);
  result.x = x;
  result.y = y;
  result.z = z;
  return result;
}

}  // namespace podsim::hw::isa::pasm
