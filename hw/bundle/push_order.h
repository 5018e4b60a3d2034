// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/opcode.h"

namespace podsim::hw {

/// The order in which a matrix unit may be pushed to: tiles of 16 weight registers, all plain or all transposed, a
/// latch after each, LHS registers after the first latch.
class PushOrder {
 public:
  /// Why a push would be a mistake, or null.
  const char* mistake(isa::Opcode opcode) const;
  /// `opcode` is pushed, which is no mistake. Returns its number among the weight registers of its tile.
  int push(isa::Opcode opcode);

 private:
  int registers_ = 0;  ///< of the tile that is being pushed
  bool transposed_ = false;
  bool latched_ = false;
};

}  // namespace podsim::hw
