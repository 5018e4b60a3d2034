// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "hw/bundle/results/result_pipeline.h"
#include "hw/bundle/results/result_trace.h"

namespace podsim::hw::bundle::results {

/// Common base of the cross-lane and the transcendental unit: the timing of ResultPipeline, a register for each of its
/// slots, and a trace. The registers are allocated with the first operand that has data.
class PipelinedUnit : public sc_core::sc_module, public ResultUnit {
 public:
  PipelinedUnit(sc_core::sc_module_name name, const ResultPipeline& pipeline, const char* unit, const CoreTime& time,
                const Trace& trace);

  Readiness ready_to_pop(base::Cycles now) override;
  void pop(base::Cycles now, vector::VectorRegister* result) override;
  void show_until(base::Cycles now) override;
  base::Cycles busy(base::Cycles now) override;

 protected:
  /// Enters an operation. Its results have the numbers from pipeline().entered() as it was before the call.
  void enter(isa::Opcode opcode, std::int64_t results, base::Cycles now);
  const ResultPipeline& pipeline() const { return pipeline_; }
  /// The register that holds a result until it is popped.
  vector::VectorRegister& result(std::int64_t number);

 private:
  ResultPipeline pipeline_;
  std::vector<vector::VectorRegister> results_;
  std::unique_ptr<ResultTrace> trace_;
};

}  // namespace podsim::hw::bundle::results
