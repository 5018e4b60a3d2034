// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/pipelined_unit.h"
#include "hw/machine.h"

namespace podsim::hw {

/// The transcendental unit behind its result FIFO: e_* operations in the timing of ResultPipeline, with the machine's
/// [vector] transcendental_interval, transcendental_latency and transcendental_fifo places. An operation pushed in
/// cycle t enters at once and can be popped from t + transcendental_latency on.
class TranscendentalQueue : public PipelinedUnit {
 public:
  TranscendentalQueue(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, const Trace& trace);

  Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) override;
  void push(isa::Opcode opcode, base::Cycles now, const VectorRegister* x, std::int32_t amount,
            const VectorRegister* index) override;
};

}  // namespace podsim::hw
