// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/isa/bundle.h"
#include "sw/codegen/registers/block.h"
#include "sw/codegen/registers/operation.h"

namespace podsim::sw::codegen::schedule {

/// Bundles that are being filled with operations. The encoding (hw/isa/encoding.h) decides what fits.
class BundlePacker {
 public:
  /// Puts operation `number` into the bundle of a cycle, which may be after the existing bundles. Returns its slot, or
  /// -1 if there is no free slot, its literals do not fit, or it would be a second transcendental operation in the
  /// cycle.
  int place(int cycle, const registers::Operation& operation, int number);
  void remove(int cycle, int slot);
  /// Appends empty bundles until there are `cycles` bundles.
  void extend_to(int cycles);
  const std::vector<registers::Row>& rows() const { return rows_; }

 private:
  std::vector<hw::isa::Bundle> bundles_;
  std::vector<registers::Row> rows_;
};

/// A placeholder for branch targets that takes as many immediates as any target.
inline constexpr std::int32_t unknown_target = 0x12345;

}  // namespace podsim::sw::codegen::schedule
