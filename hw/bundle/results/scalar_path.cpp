// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/results/scalar_path.h"

namespace podsim::hw::bundle::results {

ScalarPath::ScalarPath(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, const Trace& trace)
    : PipelinedUnit(
          name, ResultPipeline(base::Cycles(1), machine.scalar.from_vector_latency, machine.scalar.from_vector_fifo),
          "path to the scalar unit", time, trace) {}

Readiness ScalarPath::ready_to_push(isa::Opcode, base::Cycles now) { return pipeline().ready_to_enter(1, now); }

void ScalarPath::push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t,
                      const vector::VectorRegister*) {
  const std::int64_t number = pipeline().entered();
  enter(opcode, 1, now);
  if (x != nullptr) result(number).words[0] = x->words[0];
}

}  // namespace podsim::hw::bundle::results
