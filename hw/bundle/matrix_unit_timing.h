// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/array_parameters.h"
#include "hw/bundle/result_unit.h"
#include "hw/bundle/ring.h"

namespace podsim::hw {

/// When registers enter and leave a matrix unit: the equations of hw/bundle/matrix_unit.h, register by register. What
/// has been pushed starts in a cycle that follows from earlier pushes, starts and pops, so it is known at the push,
/// unless it waits for a pop: for room among the results. Such entries are settled by that pop.
///
/// Entries of the LHS FIFO are LHS registers and latches, numbered together; weight registers, and LHS registers among
/// themselves, have their own numbers. Pushes must be legal (PushOrder) and accepted; calls come with growing cycles.
class MatrixUnitTiming {
 public:
  explicit MatrixUnitTiming(const ArrayParameters& array);

  Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) const;
  void push(isa::Opcode opcode, base::Cycles now);
  /// Results that have been asked for by LHS registers and were not popped.
  std::int64_t on_their_way() const { return lhs_registers_ - popped_; }
  /// The cycle from which on the oldest of them can be popped.
  base::Cycles oldest_result() const { return ready_[popped_]; }
  void pop(base::Cycles now);
  /// Cycles before `now` in which LHS rows entered; not before the latest call.
  base::Cycles busy(base::Cycles now) const;

  /// Starts that are known, of all entries of the LHS FIFO and of all weight registers; the latest of them are kept.
  std::int64_t lhs_settled() const { return lhs_.settled; }
  base::Cycles lhs_start(std::int64_t entry) const { return lhs_.entry[entry].start; }
  std::int64_t weights_settled() const { return weights_.settled; }
  base::Cycles weights_start(std::int64_t number) const { return weights_.entry[number].start; }

 private:
  struct Entry {
    base::Cycles push, start;
    isa::Opcode opcode = isa::Opcode::mxu_latch;
  };
  /// A FIFO in front of the array.
  struct Fifo {
    explicit Fifo(std::int64_t fifo_depth) : entry(fifo_depth + 1), depth(fifo_depth) {}
    Ring<Entry> entry;
    std::int64_t depth, pushed = 0, settled = 0;
  };
  static Readiness room(const Fifo& fifo, base::Cycles now);
  void settle_weights();
  void settle_lhs();
  bool settle_lhs_register(Entry& entry);

  ArrayParameters array_;
  Fifo lhs_, weights_;
  base::Cycles lhs_free_;                                      ///< row 0 takes the next LHS register
  base::Cycles weights_free_;                                  ///< the weights' way in takes the next register
  base::Cycles weights_in_;                                    ///< the settled weights are in row 0
  base::Cycles last_latch_;                                    ///< that is settled
  std::int64_t latches_ = 0;                                   ///< settled
  std::int64_t lhs_registers_ = 0, started_ = 0, popped_ = 0;  ///< LHS registers pushed, settled, and their results
  Ring<base::Cycles> ready_;                                   ///< of results of settled LHS registers
  Ring<base::Cycles> pop_;                                     ///< cycles of the pops
};

}  // namespace podsim::hw
