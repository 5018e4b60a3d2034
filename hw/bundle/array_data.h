// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "hw/bundle/array_control.h"
#include "hw/bundle/vector_register.h"

namespace podsim::hw {

/// What the registers of the array hold: each row its weights and shadow weights, what its shadow weights displaced on
/// the way to the rows below, and its sums; the operands on their way in, the transposer, the results. Each cycle it
/// does what ArrayControl says. Numbers are bf16, kept as f32, and sums f32.
class ArrayData {
 public:
  explicit ArrayData(const ArrayParameters& array);

  void push(isa::Opcode opcode, const VectorRegister& x);
  /// After each step of the control.
  void step(const ArrayControl& control);
  void pop(VectorRegister& result);

 private:
  using Row = std::vector<float>;  ///< of 128
  using Register = std::vector<Row>;
  /// Row r hands over to row r + rows_per_cycle, that many cycles later.
  struct Cell {
    Row weights = Row(lanes), shadow = Row(lanes), sums = Row(lanes);
    std::vector<Row> displaced;  ///< by cycle, modulo rows_per_cycle
  };
  void enter_weights(const ArrayControl::Signals& signals);
  void shift(std::size_t row);
  void multiply(std::size_t row, std::int64_t lhs_row);
  void collect(std::int64_t lhs_row);

  std::size_t rows_per_cycle_;
  std::int64_t cycle_ = 0;  ///< steps
  std::deque<Register> lhs_fifo_, weight_fifo_;
  std::deque<Register> lhs_;    ///< registers of which a row is in the array
  std::int64_t first_lhs_ = 0;  ///< number of the first of them
  Register entering_;           ///< the weight register that enters
  int columns_ = 0;             ///< that entered the transposer
  Register transposer_ = Register(lanes, Row(lanes));
  std::vector<std::vector<Row>> entry_;  ///< rows on their way to the first rows of the array, by cycle and row
  std::vector<Cell> cells_;
  VectorRegister result_;  ///< that leaves the array
  std::deque<VectorRegister> results_;
};

}  // namespace podsim::hw
