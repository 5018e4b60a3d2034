// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "hw/bundle/bundle_dma.h"
#include "hw/bundle/core_trace.h"
#include "hw/bundle/instruction_memory.h"
#include "hw/bundle/results/result_unit.h"
#include "hw/bundle/scalar_unit.h"
#include "hw/bundle/vector/vector_datapath.h"
#include "hw/bundle/vector/vmem_guard.h"
#include "hw/bundle/vector/vmem_ports.h"
#include "hw/core/sync_flags.h"

namespace podsim::hw::bundle {

/// The parts of a core that its sequencer uses. All of them outlive the sequencer.
struct CoreParts {
  const isa::Program& program;
  InstructionMemory& instructions;
  ScalarUnit& scalar;
  vector::VectorDatapath* data;  ///< null in runs without data
  vector::VmemGuard& vmem;
  vector::VmemPorts& ports;
  core::SyncFlags& flags;
  BundleDma& dma;
  CoreTrace* trace;  ///< null when no trace is written
};

/// The units of pushes and pops, by unit number; null for units that the machine does not have.
using ResultUnits = std::array<results::ResultUnit*, isa::result_units>;

}  // namespace podsim::hw::bundle
