// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/results/pipelined_unit.h"
#include "hw/machine.h"

namespace podsim::hw::bundle::results {

/// The transcendental unit (EUP) with its result FIFO: e_* operations with the timing of ResultPipeline and the
/// machine's [vector] transcendental_interval, transcendental_latency and transcendental_fifo slots. An operation
/// pushed in cycle t enters at once and can be popped from cycle t + transcendental_latency.
class TranscendentalQueue : public PipelinedUnit {
 public:
  TranscendentalQueue(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, const Trace& trace);

  Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) override;
  void push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t amount,
            const vector::VectorRegister* index) override;
};

}  // namespace podsim::hw::bundle::results
