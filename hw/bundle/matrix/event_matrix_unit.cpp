// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/event_matrix_unit.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::bundle::matrix {

using isa::Opcode;

EventMatrixUnit::EventMatrixUnit(sc_core::sc_module_name name, const ArrayParameters& array, const CoreTime& time,
                                 const Trace& trace)
    : MatrixUnit(name), array_(array), timing_(array), trace_(MatrixUnitTrace::make(array, time, trace)) {}

results::Readiness EventMatrixUnit::ready_to_push(isa::Opcode opcode, base::Cycles now) {
  if (const char* mistake = order_.mistake(opcode)) return results::Readiness::illegal(mistake);
  return timing_.ready_to_push(opcode, now);
}

void EventMatrixUnit::push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t,
                           const vector::VectorRegister*) {
  const int weight_register = order_.push(opcode);
  timing_.push(opcode, now);
  if (x != nullptr && !data_) data_ = std::make_unique<Data>(array_);
  if (data_) compute(opcode, weight_register, x);
  if (trace_) {
    trace_->pushed(opcode, now);
    tell_starts();
  }
}

void EventMatrixUnit::tell_starts() {
  while (lhs_told_ < timing_.lhs_settled()) trace_->lhs_started(timing_.lhs_start(lhs_told_++));
  while (weights_told_ < timing_.weights_settled()) trace_->weights_started(timing_.weights_start(weights_told_++));
}

void EventMatrixUnit::compute(isa::Opcode opcode, int weight_register, const vector::VectorRegister* x) {
  static const ProductCode code = product_codes().back();
  WeightTile& shadow = data_->tiles[std::size_t(1 - data_->active)];
  if (opcode == isa::Opcode::mxu_latch) {
    data_->active = 1 - data_->active;
    return;
  }
  assert(x != nullptr);
  code.round(*x, data_->operand);
  if (opcode == isa::Opcode::mxu_lhs) {
    code.multiply(data_->operand, data_->tiles[std::size_t(data_->active)], data_->results[lhs_registers_++]);
    return;
  }
  if (weight_register == 0) shadow.exponents = {};
  if (opcode == isa::Opcode::mxu_weights) {
    shadow.put_rows(weight_register, data_->operand);
  } else {
    shadow.put_columns(weight_register, data_->operand);
  }
}

results::Readiness EventMatrixUnit::ready_to_pop(base::Cycles now) {
  if (timing_.in_flight() == 0) return results::Readiness::illegal("no result is on its way");
  return results::Readiness::from(std::max(now, timing_.oldest_result()));
}

void EventMatrixUnit::pop(base::Cycles now, vector::VectorRegister* result) {
  timing_.pop(now);
  if (result != nullptr) *result = data_->results[results_++];
  if (trace_) {
    trace_->popped(now);
    tell_starts();
  }
}

void EventMatrixUnit::show_until(base::Cycles now) {
  if (trace_) trace_->show_until(now);
}

}  // namespace podsim::hw::bundle::matrix
