// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/pipelined_unit.h"
#include "hw/bundle/vector_functions.h"
#include "hw/machine.h"

namespace podsim::hw {

/// The cross-lane unit (XLU) behind its result FIFO: x_* operations in the timing of ResultPipeline, with the machine's
/// [cross_lane] interval, latency and result_fifo places. So
///
///   a single operation pushed in cycle t enters at once and can be popped from t + latency on;
///   the k-th register of a transpose (k = 0..15) can be popped from t + latency + k * interval on, where t is the push
///   of its x_transpose_end; what is pushed behind it keeps the order and follows an interval after its last register.
///
/// x_transpose takes no place, x_transpose_end the 16 of its results. Transposes that follow each other without a gap
/// thus keep the unit busy in every cycle. Illegal: another operation between x_transpose and x_transpose_end, a 17th
/// register, a transpose on a machine with fewer than 16 places.
class CrossLaneQueue : public PipelinedUnit {
 public:
  CrossLaneQueue(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, const Trace& trace);

  Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) override;
  void push(isa::Opcode opcode, base::Cycles now, const VectorRegister* x, std::int32_t amount,
            const VectorRegister* index) override;

 private:
  void keep_row_register(const VectorRegister& x);
  void transpose_into(std::int64_t first_result);

  std::size_t transposing_ = 0;       ///< registers of the transpose that has begun
  std::vector<VectorRegister> tile_;  ///< their data
};

}  // namespace podsim::hw
