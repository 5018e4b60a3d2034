// SPDX-License-Identifier: Apache-2.0
#include "hw/core/tensor_core.h"

namespace podsim::hw::core {

TensorCore::TensorCore(sc_core::sc_module_name name, const Machine& machine, CoreId id, CoreRuntime& runtime,
                       const Trace& trace)
    : sc_module(name),
      id_(id),
      time_(machine.clock),
      sequencer_("sequencer", machine, time_, *this, runtime, trace),
      scalar_("scalar", time_, trace.below("scalar")),
      vector_("vector", timing::VectorTiming(machine), time_, trace.below("vector")),
      cross_lane_("cross_lane", timing::CrossLaneTiming(machine), time_, trace.below("cross_lane")),
      vmem_("vmem", machine.vmem, trace.scope, trace.below("vmem")),
      flags_("sync", machine.sync_flags, trace.below("sync")),
      dma_("dma", machine, time_, flags_, trace.below("dma")) {
  for (std::int64_t unit = 0; unit < machine.mxu.count; ++unit) {
    const std::string its_name = "mxu" + std::to_string(unit);
    mxus_.emplace_back(its_name.c_str(), timing::MxuTiming(machine), unit, time_, trace.below(its_name));
    sequencer_.to_mxu[std::size_t(unit)].bind(mxus_.back().from_sequencer);
  }
  sequencer_.to_scalar.bind(scalar_.from_sequencer);
  sequencer_.to_vector.bind(vector_.from_sequencer);
  sequencer_.to_cross_lane.bind(cross_lane_.from_sequencer);
  sequencer_.to_vmem.bind(vmem_.from_sequencer);
  sequencer_.to_flags.bind(flags_.from_sequencer);
  sequencer_.to_dma.bind(dma_.from_sequencer);
  for (std::size_t flag = 0; flag < Sequencer::flag_names.size(); ++flag) {
    flags_.show_as(flag, Sequencer::flag_names[flag]);
  }
}

}  // namespace podsim::hw::core
