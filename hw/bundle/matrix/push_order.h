// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/opcode.h"

namespace podsim::hw::bundle::matrix {

/// Checks the order of pushes to a matrix unit: tiles of 16 weight registers, all plain or all transposed, a latch
/// after each tile, LHS registers only after the first latch.
class PushOrder {
 public:
  /// Returns why a push would be a mistake, or null if it is legal.
  const char* mistake(isa::Opcode opcode) const;
  /// Records a legal push. Returns the number of a weight register within its tile, and 0 for other pushes.
  int push(isa::Opcode opcode);

 private:
  int registers_ = 0;  ///< weight registers pushed of the current tile
  bool transposed_ = false;
  bool latched_ = false;
};

}  // namespace podsim::hw::bundle::matrix
