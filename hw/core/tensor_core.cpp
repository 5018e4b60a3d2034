// SPDX-License-Identifier: Apache-2.0
#include "hw/core/tensor_core.h"

namespace podsim::hw::core {

TensorCore::TensorCore(sc_core::sc_module_name name, const Machine& machine, CoreId id, host::HostPort& host,
                       CoreRuntime& runtime, const Trace& trace)
    : sc_module(name),
      id_(id),
      time_(machine.clock),
      units_(make_units(machine, time_, trace)),
      sequencer_("sequencer", machine, time_, units_, host, *this, runtime, trace) {}

CoreUnits TensorCore::make_units(const Machine& machine, const CoreTime& time, const Trace& trace) {
  CoreUnits units;
  for (std::int64_t unit = 0; unit < machine.mxu.count; ++unit) {
    const std::string name = "mxu" + std::to_string(unit);
    units.mxus.push_back(
        std::make_unique<Mxu>(name.c_str(), timing::MxuTiming(machine), unit, time, trace.below(name)));
  }
  units.vector = std::make_unique<VectorUnit>("vector", timing::VectorTiming(machine), time, trace.below("vector"));
  units.cross_lane =
      std::make_unique<CrossLaneUnit>("cross_lane", timing::CrossLaneTiming(machine), time, trace.below("cross_lane"));
  units.vmem = std::make_unique<Vmem>("vmem", machine.vmem, trace.scope, trace.below("vmem"));
  units.flags = std::make_unique<SyncFlags>("sync", machine.sync_flags, trace.below("sync"));
  units.dma = std::make_unique<DmaEngine>("dma", machine, time, *units.flags, trace.below("dma"));
  return units;
}

}  // namespace podsim::hw::core
