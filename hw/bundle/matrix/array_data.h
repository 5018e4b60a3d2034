// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "hw/bundle/matrix/array_control.h"
#include "hw/bundle/vector/vector_register.h"

namespace podsim::hw::bundle::matrix {

/// Contents of a matrix unit's registers. Each row of the array has weights, shadow weights, displaced shadow weights
/// in flight to the rows below, and sums. In addition there are the incoming operands, the transposer and the
/// results. Each cycle follows the signals of ArrayControl. Operands are bf16 numbers stored as f32; sums are f32.
class ArrayData {
 public:
  explicit ArrayData(const ArrayParameters& array);

  void push(isa::Opcode opcode, const vector::VectorRegister& x);
  /// Moves the data of one cycle. To be called after each step of the control.
  void step(const ArrayControl& control);
  void pop(vector::VectorRegister& result);

 private:
  using Row = std::vector<float>;  ///< 128 numbers
  using Register = std::vector<Row>;
  /// A row of the array. Row r passes its shadow weights to row r + rows_per_cycle, rows_per_cycle cycles later.
  struct Cell {
    Row weights = Row(vector::lanes), shadow = Row(vector::lanes), sums = Row(vector::lanes);
    std::vector<Row> displaced;  ///< shadow weights in flight to the rows below, by cycle modulo rows_per_cycle
  };
  void enter_weights(const ArrayControl::Signals& signals);
  void shift(std::size_t row);
  void multiply(std::size_t row, std::int64_t lhs_row);
  void collect(std::int64_t lhs_row);

  std::size_t rows_per_cycle_;
  std::int64_t cycle_ = 0;  ///< number of steps so far
  std::deque<Register> lhs_fifo_, weight_fifo_;
  std::deque<Register> lhs_;    ///< registers with rows in the array
  std::int64_t first_lhs_ = 0;  ///< number of the first register in lhs_
  Register entering_;           ///< the weight register that enters
  int columns_ = 0;             ///< columns that have entered the transposer
  Register transposer_ = Register(vector::lanes, Row(vector::lanes));
  std::vector<std::vector<Row>> entry_;  ///< weights in flight to the first rows of the array, by cycle and row
  std::vector<Cell> cells_;
  vector::VectorRegister result_;  ///< the register that leaves the array
  std::deque<vector::VectorRegister> results_;
};

}  // namespace podsim::hw::bundle::matrix
