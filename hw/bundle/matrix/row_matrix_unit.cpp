// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/row_matrix_unit.h"

#include <algorithm>

namespace podsim::hw::bundle::matrix {

using isa::Opcode;

RowMatrixUnit::RowMatrixUnit(sc_core::sc_module_name name, const ArrayParameters& array, const CoreTime& time,
                             const Trace& trace)
    : MatrixUnit(name),
      array_(array),
      control_(array),
      trace_(MatrixUnitTrace::make(array, time, trace)),
      row_trace_(RowTrace::make(time, trace)) {}

void RowMatrixUnit::advance(base::Cycles now) {
  while (cycle_ < now && !still_) step();
  cycle_ = std::max(cycle_, now);
}

void RowMatrixUnit::step() {
  cycle_ += base::Cycles(1);
  still_ = !control_.step();
  if (data_) data_->step(control_);
  if (row_trace_) row_trace_->step(control_, cycle_);
  if (!trace_) return;
  if (control_.signals().latch) trace_->lhs_started(cycle_);
  if (control_.signals().lhs_starts) trace_->lhs_started(cycle_);
  if (control_.signals().weights_start) trace_->weights_started(cycle_);
}

results::Readiness RowMatrixUnit::ready_to_push(isa::Opcode opcode, base::Cycles now) {
  if (const char* mistake = order_.mistake(opcode)) return results::Readiness::illegal(mistake);
  advance(now);
  if (control_.can_push(opcode)) return results::Readiness::from(now);
  ArrayControl ahead = control_;
  for (base::Cycles cycle = cycle_ + base::Cycles(1); ahead.step(); cycle += base::Cycles(1)) {
    if (ahead.can_push(opcode)) return results::Readiness::from(cycle);
  }
  return results::Readiness::never("its results must be popped first");
}

void RowMatrixUnit::push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t,
                         const vector::VectorRegister*) {
  advance(now);
  still_ = false;
  order_.push(opcode);
  control_.push(opcode);
  if (opcode == isa::Opcode::mxu_lhs) ++in_flight_;
  if (x != nullptr && !data_) data_ = std::make_unique<ArrayData>(array_);
  if (x != nullptr && opcode != isa::Opcode::mxu_latch) data_->push(opcode, *x);
  if (trace_) trace_->pushed(opcode, now);
}

results::Readiness RowMatrixUnit::ready_to_pop(base::Cycles now) {
  if (in_flight_ == 0) return results::Readiness::illegal("no result is on its way");
  advance(now);
  if (control_.can_pop()) return results::Readiness::from(now);
  ArrayControl ahead = control_;
  base::Cycles cycle = cycle_;
  for (; !ahead.can_pop(); cycle += base::Cycles(1)) ahead.step();
  return results::Readiness::from(cycle);
}

void RowMatrixUnit::pop(base::Cycles now, vector::VectorRegister* result) {
  advance(now);
  still_ = false;
  control_.pop();
  --in_flight_;
  if (result != nullptr) data_->pop(*result);
  if (trace_) trace_->popped(now);
}

void RowMatrixUnit::show_until(base::Cycles now) {
  advance(now);
  // One cycle at a time, so that the changes of both traces are in the order of time.
  for (; shown_ < now && (trace_ || row_trace_); shown_ += base::Cycles(1)) {
    if (trace_) trace_->show_until(shown_ + base::Cycles(1));
    if (row_trace_) row_trace_->show_until(shown_ + base::Cycles(1));
  }
}

base::Cycles RowMatrixUnit::busy(base::Cycles now) {
  advance(now);
  return base::Cycles(control_.rows_entered());
}

}  // namespace podsim::hw::bundle::matrix
