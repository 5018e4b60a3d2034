// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/results/pipelined_unit.h"

namespace podsim::hw::bundle::results {

PipelinedUnit::PipelinedUnit(sc_core::sc_module_name name, const ResultPipeline& pipeline, const char* unit,
                             const CoreTime& time, const Trace& trace)
    : sc_module(name), pipeline_(pipeline), trace_(ResultTrace::make(unit, time, trace)) {}

void PipelinedUnit::enter(isa::Opcode opcode, std::int64_t results, base::Cycles now) {
  const std::int64_t first = pipeline_.entered();
  pipeline_.enter(results, now);
  if (!trace_) return;
  trace_->entered(isa::info(opcode).mnemonic, now, now + pipeline_.interval());
  for (std::int64_t i = first; i < pipeline_.entered(); ++i) trace_->result(now, pipeline_.ready(i));
}

vector::VectorRegister& PipelinedUnit::result(std::int64_t number) {
  if (results_.empty()) results_.resize(pipeline_.slots());
  return results_[pipeline_.slot(number)];
}

Readiness PipelinedUnit::ready_to_pop(base::Cycles now) { return pipeline_.ready_to_pop(now); }

void PipelinedUnit::pop(base::Cycles now, vector::VectorRegister* result_or_null) {
  if (result_or_null != nullptr) *result_or_null = result(pipeline_.popped());
  pipeline_.pop(now);
  if (trace_) trace_->popped(now);
}

void PipelinedUnit::show_until(base::Cycles now) {
  if (trace_) trace_->show_until(now);
}

base::Cycles PipelinedUnit::busy(base::Cycles now) { return pipeline_.busy(now); }

}  // namespace podsim::hw::bundle::results
