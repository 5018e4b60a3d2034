// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/results/cross_lane_queue.h"

namespace podsim::hw::bundle::results {

namespace {

bool is_transpose(isa::Opcode opcode) {
  return opcode == isa::Opcode::x_transpose || opcode == isa::Opcode::x_transpose_end;
}

std::int64_t results_of(isa::Opcode opcode) {
  if (opcode == isa::Opcode::x_transpose) return 0;
  return opcode == isa::Opcode::x_transpose_end ? vector::tile_registers : 1;
}

}  // namespace

CrossLaneQueue::CrossLaneQueue(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time,
                               const Trace& trace)
    : PipelinedUnit(
          name, ResultPipeline(machine.cross_lane.interval, machine.cross_lane.latency, machine.cross_lane.result_fifo),
          "cross-lane unit", time, trace) {}

Readiness CrossLaneQueue::ready_to_push(isa::Opcode opcode, base::Cycles now) {
  if (transposing_ > 0 && !is_transpose(opcode)) return Readiness::illegal("a transpose has begun and not ended");
  if (transposing_ == vector::tile_registers) return Readiness::illegal("a transpose takes at most 16 registers");
  return pipeline().ready_to_enter(results_of(opcode), now);
}

void CrossLaneQueue::push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t amount,
                          const vector::VectorRegister* index) {
  const std::int64_t first_result = pipeline().entered();
  enter(opcode, results_of(opcode), now);
  if (is_transpose(opcode)) {
    if (x != nullptr) keep_row_register(*x);
    ++transposing_;
    if (opcode == isa::Opcode::x_transpose) return;
    if (x != nullptr) transpose_into(first_result);
    transposing_ = 0;
  } else if (x != nullptr) {
    if (opcode == isa::Opcode::x_permute_lanes) {
      vector::permute_lanes(result(first_result), *x, *index);
    } else {
      vector::cross_lane_operation(opcode, result(first_result), *x, amount);
    }
  }
}

void CrossLaneQueue::keep_row_register(const vector::VectorRegister& x) {
  tile_.resize(vector::tile_registers);
  tile_[transposing_] = x;
}

void CrossLaneQueue::transpose_into(std::int64_t first_result) {
  for (std::size_t r = transposing_; r < tile_.size(); ++r) vector::fill(tile_[r], 0);
  for (int r = 0; r < vector::tile_registers; ++r) {
    vector::transpose(result(first_result + r), std::span<const vector::VectorRegister, vector::tile_registers>(tile_),
                      r);
  }
}

}  // namespace podsim::hw::bundle::results
