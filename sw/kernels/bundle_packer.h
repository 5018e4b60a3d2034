// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/isa/bundle.h"
#include "sw/kernels/block.h"
#include "sw/kernels/operation.h"

namespace podsim::sw {

/// Bundles while operations are given slots: what fits is asked of the encoding.
class BundlePacker {
 public:
  /// The slot that operation `number` gets in the bundle of a cycle, which may lie behind those there are; -1 if it has
  /// none left, its literals do not fit, or a second transcendental operation would enter in the cycle.
  int place(int cycle, const Operation& operation, int number);
  void remove(int cycle, int slot);
  /// Empty bundles up to that many.
  void extend_to(int cycles);
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<hw::isa::Bundle> bundles_;
  std::vector<Row> rows_;
};

/// A branch target that takes as many immediates as any.
inline constexpr std::int32_t unknown_target = 0x12345;

}  // namespace podsim::sw
