// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/matrix_unit_timing.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::bundle::matrix {

using isa::Opcode;

MatrixUnitTiming::MatrixUnitTiming(const ArrayParameters& array)
    : array_(array),
      lhs_(array.operand_fifo),
      weights_(array.operand_fifo),
      ready_(array.result_fifo),
      pop_(array.result_fifo) {}

results::Readiness MatrixUnitTiming::room(const Fifo& fifo, base::Cycles now) {
  const std::int64_t makes_room = fifo.pushed - fifo.depth;  // the entry that must have left
  if (makes_room < 0) return results::Readiness::from(now);
  if (makes_room >= fifo.settled) return results::Readiness::never("its results must be popped first");
  return results::Readiness::from(std::max(now, fifo.entry[makes_room].start));
}

results::Readiness MatrixUnitTiming::ready_to_push(isa::Opcode opcode, base::Cycles now) const {
  return room(opcode == isa::Opcode::mxu_lhs || opcode == isa::Opcode::mxu_latch ? lhs_ : weights_, now);
}

void MatrixUnitTiming::push(isa::Opcode opcode, base::Cycles now) {
  if (opcode == isa::Opcode::mxu_lhs || opcode == isa::Opcode::mxu_latch) {
    lhs_.entry[lhs_.pushed++] = {now, {}, opcode};
    if (opcode == isa::Opcode::mxu_lhs) ++lhs_registers_;
    settle_lhs();
  } else {
    weights_.entry[weights_.pushed++] = {now, {}, opcode};
    settle_weights();
  }
}

void MatrixUnitTiming::pop(base::Cycles now) {
  assert(in_flight() > 0 && oldest_result() <= now);
  pop_[popped_++] = now;
  settle_lhs();
}

/// Settles the weights of the tile after the last settled latch.
void MatrixUnitTiming::settle_weights() {
  while (weights_.settled < weights_.pushed && weights_.settled / tile_registers == latches_) {
    Entry& entry = weights_.entry[weights_.settled++];
    entry.start = std::max({entry.push + base::Cycles(1), weights_free_, last_latch_});
    weights_free_ = entry.start + array_.weight_interval;
    weights_in_ = weights_free_;
    if (entry.opcode == isa::Opcode::mxu_weights_transposed) weights_in_ += array_.weight_interval * tile_registers;
  }
}

/// Settles LHS registers and latches. The 16 weight registers of a latch are settled by then: they were pushed before
/// it and waited only for the previous latch.
void MatrixUnitTiming::settle_lhs() {
  while (lhs_.settled < lhs_.pushed) {
    Entry& entry = lhs_.entry[lhs_.settled];
    if (entry.opcode == isa::Opcode::mxu_lhs) {
      if (!settle_lhs_register(entry)) return;
    } else {
      entry.start = std::max({entry.push + base::Cycles(1), lhs_free_, weights_in_});
      lhs_free_ = last_latch_ = entry.start;
      ++latches_;
      settle_weights();
    }
    ++lhs_.settled;
  }
}

/// Returns false while no pop has made room for the register's result.
bool MatrixUnitTiming::settle_lhs_register(Entry& entry) {
  const std::int64_t makes_room = started_ - array_.result_fifo;
  if (makes_room >= popped_) return false;
  entry.start = std::max(entry.push + base::Cycles(1), lhs_free_);
  if (makes_room >= 0) entry.start = std::max(entry.start, pop_[makes_room] + base::Cycles(1));
  lhs_free_ = entry.start + lhs_interval;
  ready_[started_++] = entry.start + array_.result_latency;
  return true;
}

base::Cycles MatrixUnitTiming::busy(base::Cycles now) const {
  base::Cycles busy = lhs_interval * started_;
  const std::int64_t oldest = std::max<std::int64_t>(0, lhs_.pushed - lhs_.depth - 1);
  for (std::int64_t i = lhs_.settled - 1; i >= oldest; --i) {
    const Entry& entry = lhs_.entry[i];
    if (entry.opcode != isa::Opcode::mxu_lhs) continue;
    if (entry.start + lhs_interval <= now) break;
    busy -= std::min(lhs_interval, entry.start + lhs_interval - now);
  }
  return busy;
}

}  // namespace podsim::hw::bundle::matrix
