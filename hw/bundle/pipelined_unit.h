// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "hw/bundle/result_pipeline.h"
#include "hw/bundle/result_trace.h"

namespace podsim::hw {

/// What the cross-lane and the transcendental unit share: the timing of ResultPipeline, a register for each of its
/// places, and a trace. Memory is taken with the first operand that has data.
class PipelinedUnit : public sc_core::sc_module, public ResultUnit {
 public:
  PipelinedUnit(sc_core::sc_module_name name, const ResultPipeline& pipeline, const char* unit, const CoreTime& time,
                const Trace& trace);

  Readiness ready_to_pop(base::Cycles now) override;
  void pop(base::Cycles now, VectorRegister* result) override;
  void show_until(base::Cycles now) override;
  base::Cycles busy(base::Cycles now) override;

 protected:
  /// An operation enters; its results are those from number `pipeline().entered()` on as it was before.
  void enter(isa::Opcode opcode, std::int64_t results, base::Cycles now);
  const ResultPipeline& pipeline() const { return pipeline_; }
  /// Where a result stands until it is popped.
  VectorRegister& result(std::int64_t number);

 private:
  ResultPipeline pipeline_;
  std::vector<VectorRegister> results_;
  std::unique_ptr<ResultTrace> trace_;
};

}  // namespace podsim::hw
