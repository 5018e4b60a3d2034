// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/push_order.h"

#include <cassert>

#include "hw/bundle/matrix/array_parameters.h"

namespace podsim::hw::bundle::matrix {

const char* PushOrder::mistake(isa::Opcode opcode) const {
  if (opcode == isa::Opcode::mxu_lhs) return latched_ ? nullptr : "no weights have been latched yet";
  if (opcode == isa::Opcode::mxu_latch) {
    return registers_ == tile_registers ? nullptr : "a latch needs exactly 16 weight registers before it";
  }
  if (registers_ == tile_registers) return "the shadow registers hold 16 weight registers that no latch has taken";
  const bool transposed = opcode == isa::Opcode::mxu_weights_transposed;
  if (registers_ > 0 && transposed != transposed_) return "a tile's weight registers are all transposed or none";
  return nullptr;
}

int PushOrder::push(isa::Opcode opcode) {
  assert(mistake(opcode) == nullptr);
  if (opcode == isa::Opcode::mxu_lhs) return 0;
  if (opcode == isa::Opcode::mxu_latch) {
    latched_ = true;
    return registers_ = 0;
  }
  transposed_ = opcode == isa::Opcode::mxu_weights_transposed;
  return registers_++;
}

}  // namespace podsim::hw::bundle::matrix
