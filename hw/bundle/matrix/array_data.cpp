// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/array_data.h"

#include <bit>
#include <cmath>
#include <utility>

namespace podsim::hw::bundle::matrix {

using isa::Opcode;

namespace {

float to_bf16(std::uint32_t word) {
  if (std::isnan(std::bit_cast<float>(word))) return std::bit_cast<float>(word);
  const std::uint32_t upper = word & 0xffff0000U, lower = word & 0x0000ffffU, half = 0x8000;
  const bool odd = (upper & 0x10000U) != 0;
  return std::bit_cast<float>(lower > half || (lower == half && odd) ? upper + 0x10000U : upper);
}

}  // namespace

ArrayData::ArrayData(const ArrayParameters& array)
    : rows_per_cycle_(std::size_t(vector::sublanes / array.weight_interval.value())),
      entry_(rows_per_cycle_, std::vector<Row>(rows_per_cycle_)),
      cells_(vector::lanes, Cell{.displaced = std::vector<Row>(rows_per_cycle_, Row(vector::lanes))}) {}

void ArrayData::push(isa::Opcode opcode, const vector::VectorRegister& x) {
  Register rows(vector::sublanes, Row(vector::lanes));
  for (std::size_t i = 0; i < vector::register_words; ++i)
    rows[i / vector::lanes][i % vector::lanes] = to_bf16(x.words[i]);
  (opcode == isa::Opcode::mxu_lhs ? lhs_fifo_ : weight_fifo_).push_back(std::move(rows));
}

void ArrayData::pop(vector::VectorRegister& result) {
  result = results_.front();
  results_.pop_front();
}

void ArrayData::step(const ArrayControl& control) {
  const ArrayControl::Signals& signals = control.signals();
  if (signals.lhs_starts) {
    lhs_.push_back(std::move(lhs_fifo_.front()));
    lhs_fifo_.pop_front();
  }
  enter_weights(signals);
  // From the last row up: each row reads the contents that the row above had at the end of the previous cycle.
  for (std::size_t row = vector::lanes; row-- > 0;) {
    const ArrayWave& wave = control.wave(int(row));
    if (wave.latch) cells_[row].weights = cells_[row].shadow;
    if (wave.weight_tile >= 0) shift(row);
    if (wave.lhs_row >= 0) multiply(row, wave.lhs_row);
  }
  const std::int64_t last = control.wave(vector::lanes - 1).lhs_row;
  if (last >= 0) collect(last);
  ++cycle_;
}

void ArrayData::enter_weights(const ArrayControl::Signals& signals) {
  if (signals.weights_start) {
    entering_ = std::move(weight_fifo_.front());
    weight_fifo_.pop_front();
  }
  std::vector<Row>& entry = entry_[std::size_t(cycle_) % rows_per_cycle_];
  const std::size_t transposer_beat = std::size_t(signals.transposer_beat), beat = std::size_t(signals.weight_beat);
  // The last rows come first.
  for (std::size_t i = 0; i < rows_per_cycle_; ++i) {
    if (signals.transposer_beat >= 0) {
      entry[i] = transposer_[vector::lanes - rows_per_cycle_ * (transposer_beat + 1) + i];
    } else if (signals.weight_beat >= 0 && !signals.to_transposer) {
      entry[i] = entering_[vector::sublanes - rows_per_cycle_ * (beat + 1) + i];
    }
  }
  if (signals.weight_beat < 0 || !signals.to_transposer) return;
  for (std::size_t i = 0; i < rows_per_cycle_; ++i) {
    const std::size_t column = std::size_t(columns_);
    for (std::size_t k = 0; k < vector::lanes; ++k) transposer_[k][column] = entering_[rows_per_cycle_ * beat + i][k];
    columns_ = (columns_ + 1) % vector::lanes;
  }
}

/// Replaces the shadow weights of a row by those that arrive from above, and passes the old ones on.
void ArrayData::shift(std::size_t row) {
  const std::size_t now = std::size_t(cycle_) % rows_per_cycle_;
  Cell& cell = cells_[row];
  if (row < rows_per_cycle_) {
    cell.displaced[now] = std::exchange(cell.shadow, entry_[(std::size_t(cycle_) - row) % rows_per_cycle_][row]);
  } else {
    // The old shadow weights go into `displaced`. Swapping the row vectors avoids copies.
    Row& coming = cells_[row - rows_per_cycle_].displaced[now];
    std::swap(cell.shadow, coming);
    std::swap(cell.displaced[now], coming);
  }
}

void ArrayData::multiply(std::size_t row, std::int64_t lhs_row) {
  static const Row zeros(vector::lanes);
  const float* const above = row == 0 ? zeros.data() : cells_[row - 1].sums.data();
  const float* const weights = cells_[row].weights.data();
  float* const __restrict sums = cells_[row].sums.data();
  const float x =
      lhs_[std::size_t(lhs_row / vector::sublanes - first_lhs_)][std::size_t(lhs_row % vector::sublanes)][row];
  for (std::size_t n = 0; n < vector::lanes; ++n) {
    const float product = x * weights[n];
    sums[n] = above[n] + product;
  }
}

/// Stores the row of sums that leaves the array.
void ArrayData::collect(std::int64_t lhs_row) {
  const Row& sums = cells_.back().sums;
  const std::size_t sublane = std::size_t(lhs_row % vector::sublanes);
  for (std::size_t n = 0; n < vector::lanes; ++n) {
    result_.words[sublane * vector::lanes + n] =
        std::isnan(sums[n]) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(sums[n]);
  }
  if (sublane != vector::sublanes - 1) return;
  results_.push_back(result_);
  lhs_.pop_front();
  ++first_lhs_;
}

}  // namespace podsim::hw::bundle::matrix
