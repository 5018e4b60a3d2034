// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "hw/bundle/matrix/array_parameters.h"
#include "hw/isa/opcode.h"

namespace podsim::hw::bundle::matrix {

/// Control signals that reach a row of the array in a cycle from the row above. In this order: its latch, a shift of
/// its shadow weights, an LHS row.
struct ArrayWave {
  bool latch = false;
  std::int64_t weight_tile = -1;  ///< number of the tile whose weights shift, from 0; -1: no shift
  std::int64_t lhs_row = -1;      ///< number of the LHS row, from 0 through all LHS registers; -1: none
  bool empty() const { return !latch && weight_tile < 0 && lhs_row < 0; }
  bool operator==(const ArrayWave&) const = default;
};

/// The control logic of a matrix unit, clocked cycle by cycle: the hardware's counters and flags, and a wave per row.
/// It uses no timing equations; start cycles follow from the contents of the registers. step() performs one cycle. The
/// pushes and pops of that cycle come after it, since their effects are visible one cycle later. A copy can be stepped
/// ahead to predict future cycles.
class ArrayControl {
 public:
  explicit ArrayControl(const ArrayParameters& array);

  /// Events of the latest cycle at the array's inputs and output, for the classes that hold the data.
  struct Signals {
    bool latch = false;            ///< a latch left the LHS FIFO
    bool lhs_starts = false;       ///< the next register left the LHS FIFO
    bool weights_start = false;    ///< the next register left the weight FIFO
    int weight_beat = -1;          ///< cycle within the weight register that enters array or transposer; -1: none
    bool to_transposer = false;    ///< that register enters the transposer
    int transposer_beat = -1;      ///< cycle within the tile that the transposer gives to the array; -1: none
    bool result_complete = false;  ///< the eighth row of a register left the last row of the array
  };
  /// Performs a cycle. Returns false if nothing moved; then nothing moves until the next push or pop.
  bool step();
  const Signals& signals() const { return signals_; }
  /// The wave in a row in the latest cycle.
  const ArrayWave& wave(int row) const { return waves_[std::size_t(row)]; }

  bool can_push(isa::Opcode opcode) const;
  void push(isa::Opcode opcode);
  bool can_pop() const { return results_ > 0; }
  void pop();
  /// LHS rows that entered before the latest cycle.
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
  int weight_beats_;   ///< cycles that a weight register takes to enter
  std::size_t depth_;  ///< capacity of each operand FIFO
  std::deque<isa::Opcode> lhs_fifo_, weight_fifo_;
  Signals signals_;
  int lhs_beat_ = no_beat;         ///< next cycle of the LHS register that enters
  int weight_beat_ = no_beat;      ///< next cycle of the weight register that enters
  bool transposing_ = false;       ///< the incoming tile goes through the transposer
  int registers_taken_ = 0;        ///< registers of the incoming tile that left the weight FIFO
  int transposer_registers_ = 0;   ///< registers complete in the transposer
  int transposer_beat_ = no_beat;  ///< next cycle of the tile that leaves the transposer
  int rows_shifted_ = 0;           ///< cycles in which rows of the incoming tile entered the array
  std::int64_t latches_ = 0, lhs_rows_ = 0;
  std::int64_t credits_;  ///< LHS registers that may start
  std::array<ArrayWave, vector::lanes> waves_;
  std::vector<bool> delay_line_;  ///< complete registers in flight to the result FIFO
  std::int64_t results_ = 0;      ///< registers in the result FIFO
};

}  // namespace podsim::hw::bundle::matrix
