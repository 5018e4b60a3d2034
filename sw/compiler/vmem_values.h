// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hw/machine.h"
#include "sw/ir/graph.h"

namespace podsim::sw::compiler {

/// Places values of a fused module in VMEM from the op that makes them to their last reader, in the part of VMEM that
/// `compiler.vmem_for_values` sets aside; tiles have the rest. Their shapes get memory space S(1), so that ops neither
/// write nor read them in HBM.
///
/// A value is placed if ops of the core alone make and read it. Parameters, results, and what collectives, loops, calls
/// and other devices read stay in HBM. Values with the most reads and writes per position of their life come first,
/// each at the lowest offset that is free from its op to its last reader; what fits nowhere stays in HBM. Weights are
/// not fetched ahead of their op. Without effect on a scheduled module, whose text says what is in VMEM.
ir::Module place_values_in_vmem(ir::Module module, const hw::Machine& machine,
                                std::span<const ir::Donation> donations = {});

}  // namespace podsim::sw::compiler
