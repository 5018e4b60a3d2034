// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/results/pipelined_unit.h"
#include "hw/bundle/vector/vector_functions.h"
#include "hw/machine.h"

namespace podsim::hw::bundle::results {

/// The cross-lane unit (XLU) with its result FIFO: x_* operations with the timing of ResultPipeline and the machine's
/// [cross_lane] interval, latency and result_fifo slots. Therefore:
///
///   a single operation pushed in cycle t enters at once and can be popped from cycle t + latency;
///   register k = 0..15 of a transpose can be popped from cycle t + latency + k * interval, where t is the push of its
///   x_transpose_end; results of later pushes stay in order, the first an interval after the last register.
///
/// x_transpose takes no slot, x_transpose_end the 16 of its results. Transposes that follow each other without a gap
/// thus keep the unit busy in every cycle. Illegal: another operation between x_transpose and x_transpose_end, a 17th
/// register, a transpose on a machine with fewer than 16 slots.
class CrossLaneQueue : public PipelinedUnit {
 public:
  CrossLaneQueue(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, const Trace& trace);

  Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) override;
  void push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t amount,
            const vector::VectorRegister* index) override;

 private:
  void keep_row_register(const vector::VectorRegister& x);
  void transpose_into(std::int64_t first_result);

  std::size_t transposing_ = 0;               ///< registers pushed of the current transpose
  std::vector<vector::VectorRegister> tile_;  ///< data of those registers
};

}  // namespace podsim::hw::bundle::results
