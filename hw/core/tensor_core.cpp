// SPDX-License-Identifier: Apache-2.0
#include "hw/core/tensor_core.h"

namespace podsim::hw::core {

TensorCore::TensorCore(sc_core::sc_module_name name, const Machine& machine, CoreId id, CoreRuntime& runtime,
                       const Trace& trace)
    : sc_module(name),
      id_(id),
      time_(machine.clock),
      sequencer_("sequencer", machine, time_, *this, runtime, trace),
      vmem_("vmem", machine.vmem, trace.scope, trace.below("vmem")),
      flags_("sync", machine.sync_flags, trace.below("sync")),
      dma_("dma", machine, time_, flags_, trace.below("dma")) {
  CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    for (std::int64_t instance = 0; instance < Unit::count(machine); ++instance) {
      const std::string its_name = Unit::names.name + (Unit::names.numbered ? std::to_string(instance) : "");
      auto& unit = units_.of<Unit>().emplace_back(its_name.c_str(), Unit::timing(machine), instance, time_,
                                                  trace.below(its_name));
      sequencer_.to_units.of<Unit>()[std::size_t(instance)].bind(unit.from_sequencer);
    }
  });
  sequencer_.to_vmem.bind(vmem_.from_sequencer);
  sequencer_.to_flags.bind(flags_.from_sequencer);
  sequencer_.to_dma.bind(dma_.from_sequencer);
  for (std::size_t flag = 0; flag < Sequencer::flag_names.size(); ++flag) {
    flags_.show_as(flag, Sequencer::flag_names[flag]);
  }
}

}  // namespace podsim::hw::core
