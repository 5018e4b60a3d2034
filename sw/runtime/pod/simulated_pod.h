// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/trace/probe.h"
#include "base/trace/timeline.h"
#include "hw/core/core.h"
#include "hw/input/host_inputs.h"
#include "hw/memory/chip_memory.h"
#include "hw/pod/pod.h"
#include "noc/faults.h"
#include "noc/folded_topology.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::pod {

/// What the chips of a run are made of. The objects pointed to outlive the pod.
struct ChipChoices {
  std::vector<bool> real;  ///< by simulated chip: made of its units; the others replay their ops
  hw::memory::MemoryDetail memory = hw::memory::MemoryDetail::stream;  ///< of the real chips
  bool contention = true;                   ///< an op and concurrent transfers slow each other at the HBM
  hw::input::HostInputs* inputs = nullptr;  ///< prepare the batches; null: every batch is ready
  noc::Faults faults = {};                  ///< without a folded topology
  base::trace::ProbeSink* sink = nullptr;
  base::trace::Timeline* timeline = nullptr;  ///< of the first chip
};

/// The representative chips of the topology, named chip_0, chip_1, ..., whose cores ask `runtime` for commands, and the
/// fabric that joins them.
std::unique_ptr<hw::pod::Pod> make_pod(const noc::FoldedTopology& topology, const TargetMachine& machine,
                                       hw::core::CoreRuntime& runtime, const ChipChoices& choices);

}  // namespace podsim::sw::runtime::pod
