// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "hw/host/batch_source.h"
#include "hw/input/input_pipeline.h"
#include "hw/input/input_plan.h"
#include "hw/trace.h"

namespace podsim::hw::input {

/// The input pipelines of all hosts of a slice. A batch is prepared when every host has prepared its part, since the
/// steps of all cores wait for each other in their first collective; it is taken from all hosts when all cores have
/// taken it. Hosts that do the same are one pipeline (InputPlan::simulated_hosts).
class HostInputs : public sc_core::sc_module, public host::BatchSource {
 public:
  SC_HAS_PROCESS(HostInputs);
  HostInputs(sc_core::sc_module_name name, const InputPlan& plan, base::trace::ProbeSink* sink);

  void join() override { ++takers_; }
  std::int64_t prepared() const override;
  const sc_core::sc_event& batch_prepared() const override { return batch_prepared_; }
  void took() override;

 private:
  std::vector<std::unique_ptr<InputPipeline>> hosts_;
  std::int64_t takers_ = 0, taken_ = 0;
  sc_core::sc_event batch_prepared_;
};

}  // namespace podsim::hw::input
