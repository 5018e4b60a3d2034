// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/results/pipelined_unit.h"
#include "hw/machine.h"

namespace podsim::hw::bundle::results {

/// The path from the vector to the scalar unit: push_scalar sends the word of sublane 0, lane 0 of a register, s_pop
/// takes it. Timing of ResultPipeline, a word per cycle, with the machine's [scalar] from_vector_latency and
/// from_vector_fifo slots: a word pushed in cycle t can be popped from cycle t + from_vector_latency.
class ScalarPath : public PipelinedUnit {
 public:
  ScalarPath(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, const Trace& trace);

  Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) override;
  void push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t amount,
            const vector::VectorRegister* index) override;
};

}  // namespace podsim::hw::bundle::results
