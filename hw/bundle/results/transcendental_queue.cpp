// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/results/transcendental_queue.h"

#include "hw/bundle/vector/vector_functions.h"

namespace podsim::hw::bundle::results {

TranscendentalQueue::TranscendentalQueue(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time,
                                         const Trace& trace)
    : PipelinedUnit(name,
                    ResultPipeline(machine.vector.transcendental_interval, machine.vector.transcendental_latency,
                                   machine.vector.transcendental_fifo),
                    "transcendental unit", time, trace) {}

Readiness TranscendentalQueue::ready_to_push(isa::Opcode, base::Cycles now) {
  return pipeline().ready_to_enter(1, now);
}

void TranscendentalQueue::push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t,
                               const vector::VectorRegister*) {
  const std::int64_t number = pipeline().entered();
  enter(opcode, 1, now);
  if (x != nullptr) vector::transcendental_operation(opcode, result(number), *x);
}

}  // namespace podsim::hw::bundle::results
