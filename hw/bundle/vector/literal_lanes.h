// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "hw/bundle/vector/vector_functions.h"

namespace podsim::hw::bundle::vector {

/// Registers that hold a literal in every lane, for vector operations with a literal operand. Each is made once, not in
/// every cycle.
class LiteralLanes {
 public:
  /// The reference stays valid.
  const VectorRegister& of(std::uint32_t word) {
    const auto [entry, is_new] = lanes_.try_emplace(word);
    if (is_new) fill(entry->second, word);
    return entry->second;
  }

 private:
  std::map<std::uint32_t, VectorRegister> lanes_;
};

}  // namespace podsim::hw::bundle::vector
