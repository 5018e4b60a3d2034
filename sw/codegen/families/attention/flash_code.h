// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/codegen/builder/kernel_builder.h"
#include "sw/codegen/families/attention/flash_plan.h"

namespace podsim::sw::codegen::families::attention {

/// Arrays of a block of queries in VMEM: scores, which become weights; and for every register of queries the weighted
/// sum of values, the maximum of the scores (in all lanes), and the sum of weights (lane by lane).
struct FlashBuffers {
  builder::KernelBuilder::VmemBuffer scores, sums, maxima, totals;
};

/// Position of a block of keys relative to a block of queries.
struct FlashPosition {
  registers::ScalarReg begin;      ///< number of the first key
  registers::ScalarReg last_seen;  ///< number of the last key that the first query sees
};

/// Code on the scores of a block of queries and a block of keys. Throughout, the scores of a register of 8 queries are
/// key_tiles() registers.
class FlashCode {
 public:
  FlashCode(builder::KernelBuilder& builder, const FlashPlan& plan, const FlashBuffers& buffers);

  /// Gives keys after a query the score of minus infinity. Visits only the first register of queries if all of them see
  /// all keys.
  void hide_later_keys(const FlashPosition& position) const;
  /// Makes weights of the scores, and scales the sums of earlier blocks of keys to the new maximum. There are no
  /// earlier blocks if `begin` is 0.
  void weigh(registers::ScalarReg begin) const;
  /// Divides the sums by the sums of weights, into the buffer at `row`.
  void divide(registers::ScalarReg row, int buffer) const;

  // One register of queries, at these VMEM rows.
  void hide(registers::ScalarReg scores, registers::VectorReg beyond) const;
  void weigh(registers::ScalarReg scores, registers::ScalarReg state, registers::MaskReg begun) const;

 private:
  registers::RowAddress scores_at(registers::ScalarReg base, std::int32_t tile) const;
  /// The address of the register of an array of the state.
  registers::RowAddress at(const builder::KernelBuilder::VmemBuffer& array, registers::ScalarReg state) const;
  registers::VectorReg weight(registers::VectorReg score, registers::VectorReg most) const;

  builder::KernelBuilder& b_;
  const FlashPlan& plan_;
  FlashBuffers buffers_;
  float scale_ = 1;
};

}  // namespace podsim::sw::codegen::families::attention
