// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/graph.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler {

/// Puts values of a fused module on the chip from the op that makes them to their last reader: in the part of VMEM
/// that `compiler.vmem_for_values` sets aside (tiles have the rest), or else in the first declared level of memory
/// (hw/memory_levels.h) that has room. Their shapes get its number as memory space. Ops neither write nor read what is
/// in VMEM; what is in a level they read and write there. A level that is slower than the HBM gets no values, so that
/// what a value moves takes no longer than in the HBM.
///
/// A value is placed if ops of the core alone make and read it. Parameters, results, and what collectives, loops, calls
/// and other devices read stay in HBM. Values with the most reads and writes per position of their life come first,
/// each at the lowest offset that is free from its op to its last reader; what fits nowhere stays in HBM. Weights are
/// not fetched ahead of their op. Without effect on a scheduled module, whose text says what is where.
hlo::Module place_values(hlo::Module module, const TargetMachine& machine,
                         std::span<const hlo::Donation> donations = {});

/// Returns whether place_values() has a memory for values.
bool has_room_for_values(const TargetMachine& machine);

}  // namespace podsim::sw::compiler
