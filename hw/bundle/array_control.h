// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "hw/bundle/array_parameters.h"
#include "hw/isa/opcode.h"

namespace podsim::hw {

/// What reaches a row of the array in a cycle, coming from the row above: first its latch, then a shift of its shadow
/// weights, then an LHS row.
struct ArrayWave {
  bool latch = false;
  std::int64_t weight_tile = -1;  ///< whose weights shift, numbered from 0; -1: they rest
  std::int64_t lhs_row = -1;      ///< numbered from 0 through all LHS registers; -1: none
  bool empty() const { return !latch && weight_tile < 0 && lhs_row < 0; }
  bool operator==(const ArrayWave&) const = default;
};

/// The control of a matrix unit, the hardware's counters and flags with a wave per row, clocked cycle by cycle. It
/// knows no equations: what starts when follows from what the registers hold. step() is a cycle; the pushes and pops
/// of that cycle come after it, as what they write can be seen one cycle later. Copies run ahead to see what comes.
class ArrayControl {
 public:
  explicit ArrayControl(const ArrayParameters& array);

  /// What happened in the last cycle in front of the array and behind it, for those who hold the data.
  struct Signals {
    bool latch = false;            ///< left the LHS FIFO
    bool lhs_starts = false;       ///< the next register left the LHS FIFO
    bool weights_start = false;    ///< the next register left the weight FIFO
    int weight_beat = -1;          ///< cycle of the weight register that enters array or transposer; -1: none
    bool to_transposer = false;    ///< where that one goes
    int transposer_beat = -1;      ///< cycle in which the transposer gives rows to the array; -1: none
    bool result_complete = false;  ///< the eighth row of a register left the last row of the array
  };
  /// False if nothing moved: then nothing ever will without a push or a pop.
  bool step();
  const Signals& signals() const { return signals_; }
  /// In the last cycle.
  const ArrayWave& wave(int row) const { return waves_[std::size_t(row)]; }

  bool can_push(isa::Opcode opcode) const;
  void push(isa::Opcode opcode);
  bool can_pop() const { return results_ > 0; }
  void pop();
  /// LHS rows that entered before the last cycle.
  std::int64_t rows_entered() const { return lhs_rows_ - (waves_[0].lhs_row < 0 ? 0 : 1); }

 private:
  bool take_latch();
  bool take_lhs();
  bool take_weights();
  ArrayWave enter();
  bool enter_weights();
  bool move_waves(const ArrayWave& entering);
  bool collect();

  static constexpr int no_beat = -1;
  int weight_beats_;   ///< cycles in which a weight register enters
  std::size_t depth_;  ///< of both operand FIFOs
  std::deque<isa::Opcode> lhs_fifo_, weight_fifo_;
  Signals signals_;
  int lhs_beat_ = no_beat;         ///< of the register that enters
  int weight_beat_ = no_beat;      ///< likewise
  bool transposing_ = false;       ///< the tile that comes goes through the transposer
  int registers_taken_ = 0;        ///< of the tile that comes
  int transposer_registers_ = 0;   ///< complete in the transposer
  int transposer_beat_ = no_beat;  ///< of the tile that leaves it
  int rows_shifted_ = 0;           ///< cycles' worth of the coming tile's rows that entered the array
  std::int64_t latches_ = 0, lhs_rows_ = 0;
  std::int64_t credits_;  ///< LHS registers that may start
  std::array<ArrayWave, lanes> waves_;
  std::vector<bool> delay_line_;  ///< registers that are complete, on their way to the result FIFO
  std::int64_t results_ = 0;      ///< in the result FIFO
};

}  // namespace podsim::hw
