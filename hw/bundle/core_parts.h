// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "hw/bundle/bundle_dma.h"
#include "hw/bundle/core_trace.h"
#include "hw/bundle/instruction_memory.h"
#include "hw/bundle/result_unit.h"
#include "hw/bundle/scalar_unit.h"
#include "hw/bundle/vector_datapath.h"
#include "hw/bundle/vmem_guard.h"
#include "hw/bundle/vmem_ports.h"
#include "hw/sync_flags.h"

namespace podsim::hw {

/// What a core's sequencer works with. All of it outlives the sequencer.
struct CoreParts {
  const isa::Program& program;
  InstructionMemory& instructions;
  ScalarUnit& scalar;
  VectorDatapath* data;  ///< null in runs without data
  VmemGuard& vmem;
  VmemPorts& ports;
  SyncFlags& flags;
  BundleDma& dma;
  CoreTrace* trace;  ///< null when nobody looks
};

/// The units that pushes and pops name; null where the machine has none.
using ResultUnits = std::array<ResultUnit*, isa::result_units>;

}  // namespace podsim::hw
