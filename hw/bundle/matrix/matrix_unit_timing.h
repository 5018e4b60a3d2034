// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/matrix/array_parameters.h"
#include "hw/bundle/results/result_unit.h"
#include "hw/bundle/results/ring.h"

namespace podsim::hw::bundle::matrix {

/// Cycles in which registers enter and leave a matrix unit: the equations of hw/bundle/matrix/matrix_unit.h, register
/// by register. The start of a pushed entry follows from earlier pushes, starts and pops. It is settled at the push,
/// unless the entry waits for a pop to make room for its result; then that pop settles it.
///
/// Entries of the LHS FIFO are LHS registers and latches, numbered together. LHS registers and weight registers also
/// have separate numbers each. Pushes must be legal (PushOrder) and accepted, and cycles must not decrease from call to
/// call.
class MatrixUnitTiming {
 public:
  explicit MatrixUnitTiming(const ArrayParameters& array);

  results::Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) const;
  void push(isa::Opcode opcode, base::Cycles now);
  /// Number of LHS registers pushed whose results have not been popped.
  std::int64_t in_flight() const { return lhs_registers_ - popped_; }
  /// First cycle in which the oldest result in flight can be popped.
  base::Cycles oldest_result() const { return ready_[popped_]; }
  void pop(base::Cycles now);
  /// Number of cycles before `now` in which LHS rows entered. `now` must not be before the latest call.
  base::Cycles busy(base::Cycles now) const;

  /// Number of settled starts of LHS FIFO entries and of weight registers, and the start cycles, of which only the
  /// latest are kept.
  std::int64_t lhs_settled() const { return lhs_.settled; }
  base::Cycles lhs_start(std::int64_t entry) const { return lhs_.entry[entry].start; }
  std::int64_t weights_settled() const { return weights_.settled; }
  base::Cycles weights_start(std::int64_t number) const { return weights_.entry[number].start; }

 private:
  struct Entry {
    base::Cycles push, start;
    isa::Opcode opcode = isa::Opcode::mxu_latch;
  };
  /// A FIFO at the array's input.
  struct Fifo {
    explicit Fifo(std::int64_t fifo_depth) : entry(fifo_depth + 1), depth(fifo_depth) {}
    results::Ring<Entry> entry;
    std::int64_t depth, pushed = 0, settled = 0;
  };
  static results::Readiness room(const Fifo& fifo, base::Cycles now);
  void settle_weights();
  void settle_lhs();
  bool settle_lhs_register(Entry& entry);

  ArrayParameters array_;
  Fifo lhs_, weights_;
  base::Cycles lhs_free_;                                      ///< when row 0 can take the next LHS register
  base::Cycles weights_free_;                                  ///< when the weight input can take the next register
  base::Cycles weights_in_;                                    ///< when all settled weights have entered the array
  base::Cycles last_latch_;                                    ///< cycle of the last settled latch
  std::int64_t latches_ = 0;                                   ///< number of settled latches
  std::int64_t lhs_registers_ = 0, started_ = 0, popped_ = 0;  ///< LHS registers pushed, settled, and results popped
  results::Ring<base::Cycles> ready_;                          ///< when results of settled LHS registers can be popped
  results::Ring<base::Cycles> pop_;                            ///< cycles of the pops
};

}  // namespace podsim::hw::bundle::matrix
