// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/array_control.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::bundle::matrix {

using isa::Opcode;

namespace {
/// Least latency of a result. The eighth row of a register leaves the last row of the array 134 cycles after the first
/// row entered row 0, and is available a cycle later. A delay line models any further latency of the machine.
constexpr base::Cycles through_array{vector::lanes + vector::sublanes - 1};

bool is_weights(isa::Opcode opcode) {
  return opcode == isa::Opcode::mxu_weights || opcode == isa::Opcode::mxu_weights_transposed;
}
}  // namespace

ArrayControl::ArrayControl(const ArrayParameters& array)
    : weight_beats_(int(array.weight_interval.value())),
      depth_(std::size_t(array.operand_fifo)),
      credits_(array.result_fifo),
      delay_line_(std::size_t((array.result_latency - through_array).value()) + 1) {}

bool ArrayControl::can_push(isa::Opcode opcode) const {
  return (is_weights(opcode) ? weight_fifo_ : lhs_fifo_).size() < depth_;
}

void ArrayControl::push(isa::Opcode opcode) {
  assert(can_push(opcode));
  (is_weights(opcode) ? weight_fifo_ : lhs_fifo_).push_back(opcode);
}

void ArrayControl::pop() {
  assert(can_pop());
  --results_;
  ++credits_;
}

bool ArrayControl::step() {
  signals_ = {};
  const bool delivered = collect();
  signals_.latch = take_latch();
  signals_.lhs_starts = take_lhs();
  signals_.weights_start = take_weights();
  const ArrayWave entering = enter();
  const bool moved = move_waves(entering) || delivered || signals_.weight_beat != no_beat;
  const ArrayWave& last = waves_.back();
  signals_.result_complete = last.lhs_row >= 0 && last.lhs_row % vector::sublanes == vector::sublanes - 1;
  delay_line_.back() = signals_.result_complete;
  return moved;
}

/// Advances complete registers along the delay line and into the result FIFO. Returns false if there are none.
bool ArrayControl::collect() {
  if (std::find(delay_line_.begin(), delay_line_.end(), true) == delay_line_.end()) return false;
  results_ += delay_line_.front() ? 1 : 0;
  std::rotate(delay_line_.begin(), delay_line_.begin() + 1, delay_line_.end());
  return true;
}

bool ArrayControl::take_latch() {
  const bool at_head = lhs_beat_ == no_beat && !lhs_fifo_.empty() && lhs_fifo_.front() == isa::Opcode::mxu_latch;
  if (!at_head || rows_shifted_ < tile_registers * weight_beats_) return false;
  lhs_fifo_.pop_front();
  ++latches_;
  registers_taken_ = rows_shifted_ = 0;
  return true;
}

bool ArrayControl::take_lhs() {
  const bool at_head = lhs_beat_ == no_beat && !lhs_fifo_.empty() && lhs_fifo_.front() == isa::Opcode::mxu_lhs;
  if (!at_head || credits_ == 0) return false;
  lhs_fifo_.pop_front();
  --credits_;
  lhs_beat_ = 0;
  return true;
}

bool ArrayControl::take_weights() {
  if (weight_beat_ != no_beat || weight_fifo_.empty() || registers_taken_ == tile_registers) return false;
  transposing_ = weight_fifo_.front() == isa::Opcode::mxu_weights_transposed;
  weight_fifo_.pop_front();
  ++registers_taken_;
  weight_beat_ = 0;
  return true;
}

/// Returns the wave that enters row 0 in this cycle.
ArrayWave ArrayControl::enter() {
  ArrayWave wave;
  wave.latch = signals_.latch;
  if (lhs_beat_ != no_beat) {
    wave.lhs_row = lhs_rows_++;
    if (++lhs_beat_ == vector::sublanes) lhs_beat_ = no_beat;
  }
  if (enter_weights()) {
    wave.weight_tile = latches_;
    ++rows_shifted_;
  }
  return wave;
}

/// Advances the weight inputs. Returns true if rows of weights enter the array, from the FIFO or from the transposer.
bool ArrayControl::enter_weights() {
  if (transposer_beat_ == no_beat && transposer_registers_ == tile_registers) {
    transposer_registers_ = 0;
    transposer_beat_ = 0;
  }
  if (transposer_beat_ != no_beat) {
    signals_.transposer_beat = transposer_beat_;
    if (++transposer_beat_ == tile_registers * weight_beats_) transposer_beat_ = no_beat;
  }
  if (weight_beat_ != no_beat) {
    signals_.weight_beat = weight_beat_;
    signals_.to_transposer = transposing_;
    if (++weight_beat_ == weight_beats_) {
      weight_beat_ = no_beat;
      if (transposing_) ++transposer_registers_;
    }
  }
  return signals_.transposer_beat != no_beat || (signals_.weight_beat != no_beat && !transposing_);
}

bool ArrayControl::move_waves(const ArrayWave& entering) {
  const bool moved = !std::all_of(waves_.begin(), waves_.end(), [](const ArrayWave& wave) { return wave.empty(); });
  std::copy_backward(waves_.begin(), waves_.end() - 1, waves_.end());
  waves_.front() = entering;
  return moved || !entering.empty();
}

}  // namespace podsim::hw::bundle::matrix
